import type { Environment } from '@marcbachmann/cel-js';

/** Gives a value of JSON the form that expressions work with: whole numbers are integers, everything else stays. */
export function toCelValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCelValue);
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) result[key] = toCelValue(member);
  }
  return result;
}

type Numbers = readonly (number | bigint)[];

/** Adds functions that Kubernetes has beside those of the language: on strings, and on lists. */
export function registerFunctions(environment: Environment): Environment {
  return environment
    .registerFunction('string.find(string): string', (text: string, pattern: string) => {
      return new RegExp(pattern, 'u').exec(text)?.[0] ?? '';
    })
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => {
      return text.match(new RegExp(pattern, 'gu')) ?? [];
    })
    .registerFunction('string.replace(string, string): string', (text: string, old: string, next: string) => {
      return text.replaceAll(old, next);
    })
    .registerFunction('list.isSorted(): bool', (values: Numbers) => {
      return values.every((value, index) => index === 0 || values[index - 1]! <= value);
    })
    .registerFunction('list.sum(): dyn', (values: Numbers) => values.reduce((sum, value) => add(sum, value), 0n))
    .registerFunction('list.min(): dyn', (values: Numbers) => extreme(values, (a, b) => a < b))
    .registerFunction('list.max(): dyn', (values: Numbers) => extreme(values, (a, b) => a > b));
}

function add(left: number | bigint, right: number | bigint): number | bigint {
  return typeof left === 'bigint' && typeof right === 'bigint' ? left + right : Number(left) + Number(right);
}

function extreme(values: Numbers, isBetter: (a: number | bigint, b: number | bigint) => boolean): number | bigint {
  if (values.length === 0) throw new Error('the list is empty');
  return values.reduce((best, value) => (isBetter(value, best) ? value : best));
}
