import { CelEvaluationError } from '../values/cel.error.js';
import { writeDuration, writeTimestamp } from '../values/cel.time.js';
import { CelDuration, CelMap, CelTimestamp, CelTypeValue, CelUint, type CelValue } from '../values/cel.value.js';
import { typeOfValue } from '../values/value.type.js';
import { writeDouble } from './standard.library.js';

const CLAUSE = /%(?:(%)|(?:\.(\d+))?([\s\S]?))/g;

/** Writes values at the places that `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X` and `%o` mark. @throws CelEvaluationError */
export function formatText(text: string, args: readonly CelValue[]): string {
  let index = 0;
  return text.replace(CLAUSE, (_clause, percent?: string, precision?: string, verb = '') => {
    if (percent) return percent;
    if (index >= args.length) throw new CelEvaluationError(`index ${index} out of range`);
    const value = args[index]!;
    index += 1;
    return formatValue(value, verb, precision === undefined ? 6 : Number(precision));
  });
}

function formatValue(value: CelValue, verb: string, precision: number): string {
  switch (verb) {
    case 's':
      return formatString(value);
    case 'd':
      return formatDecimal(value);
    case 'f':
      return fixed(value, (number) => number.toFixed(precision), 'fixed-point');
    case 'e':
      return fixed(value, (number) => exponential(number, precision), 'scientific notation');
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : integer(value, 'binary', 2);
    case 'o':
      return integer(value, 'octal', 8);
    case 'x':
      return hexadecimal(value);
    case 'X':
      return hexadecimal(value).toUpperCase();
    default:
      throw new CelEvaluationError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function formatString(value: CelValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'null';
  if (typeof value === 'number') return writeDouble(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${(value as CelValue[]).map(formatString).join(', ')}]`;
  if (value instanceof CelMap) return formatMap(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof CelDuration) return writeDuration(value);
  if (value instanceof CelTimestamp) return writeTimestamp(value);
  if (value instanceof CelTypeValue) return value.type.name;
  throw mistyped(
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    value,
  );
}

function formatMap(map: CelMap): string {
  const members = [...map.keys()].map((key) => [formatString(key), formatString(map.get(key)!)] as const);
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, value]) => `${key}: ${value}`).join(', ')}}`;
}

function formatDecimal(value: CelValue): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (typeof value === 'number' && !Number.isFinite(value))
    return writeDouble(value).replace('+Inf', 'Infinity').replace('-Inf', '-Infinity');
  throw mistyped('decimal clause can only be used on integers', value);
}

function fixed(value: CelValue, write: (number: number) => string, clause: string): string {
  const number = value instanceof CelUint ? Number(value.value) : typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number') throw mistyped(`${clause} clause can only be used on doubles`, value);
  return Number.isFinite(number)
    ? write(number)
    : writeDouble(number).replace('+Inf', 'Infinity').replace('-Inf', '-Infinity');
}

function exponential(number: number, precision: number): string {
  return number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

function integer(value: CelValue, clause: string, radix: number): string {
  if (typeof value === 'bigint') return value.toString(radix);
  if (value instanceof CelUint) return value.value.toString(radix);
  const also = radix === 2 ? 'integers and bools' : 'integers';
  throw mistyped(`${clause} clause can only be used on ${also}`, value);
}

function hexadecimal(value: CelValue): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value === 'bigint') return value.toString(16);
  if (value instanceof CelUint) return value.value.toString(16);
  throw mistyped('hex clause can only be used on integers, byte buffers, and strings', value);
}

function mistyped(rule: string, value: CelValue): CelEvaluationError {
  return new CelEvaluationError(`error during formatting: ${rule}, was given ${typeOfValue(value).name}`);
}
