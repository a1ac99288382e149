import { type CelType, readType, splitTypes } from '../values/cel.type.js';
import type { CelValue } from '../values/cel.value.js';

/** A function that computes a call. @throws CelEvaluationError */
export type CelImplementation = (...args: readonly never[]) => CelValue;

/** One signature of a function. */
export interface CelOverload {
  /** The name by which costs are known: `starts_with_string`. */
  readonly id: string;
  readonly isMember: boolean;
  /** The types of the arguments; a member's target is the first. */
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly evaluate: (...args: CelValue[]) => CelValue;
}

/** The overloads of each function, by its name. */
export type CelFunctions = ReadonlyMap<string, readonly CelOverload[]>;

/** A signature, and the function that computes it: `['size_string', 'size(string) int', (text: string) => …]`. */
export type CelDeclaration = readonly [id: string, signature: string, evaluate: CelImplementation];

/**
 * Reads declarations. A signature is `name(type, …) result`, with `target.name(…) result` for a member; the name of an
 * operator has no letters: `_+_(int, int) int`. A name in a namespace is written in quotes: `'optional.of'(T) optional(T)`.
 */
export function declareFunctions(...libraries: readonly (readonly CelDeclaration[])[]): Map<string, CelOverload[]> {
  const functions = new Map<string, CelOverload[]>();
  for (const [id, signature, evaluate] of libraries.flat()) {
    const { name, ...overload } = readSignature(signature);
    const overloads = functions.get(name) ?? [];
    overloads.push({ id, ...overload, evaluate: evaluate as unknown as CelOverload['evaluate'] });
    functions.set(name, overloads);
  }
  return functions;
}

function readSignature(signature: string): Omit<CelOverload, 'id' | 'evaluate'> & { readonly name: string } {
  const quoted = /^'([^']+)'\((.*)\) (\S.*)$/.exec(signature);
  if (quoted) return { name: quoted[1]!, isMember: false, ...types(quoted[2]!, quoted[3]!) };
  const member = /^(.+)\.(@?\w+)\((.*)\) (\S.*)$/.exec(signature);
  if (member && !member[1]!.startsWith('_') && balanced(member[1]!)) {
    const [, target, name, args, result] = member;
    const rest = types(args!, result!);
    return { name: name!, isMember: true, ...rest, parameters: [readType(target!), ...rest.parameters] };
  }
  const [, name, args, result] = /^([^(]+)\((.*)\) (\S.*)$/.exec(signature)!;
  return { name: name!, isMember: false, ...types(args!, result!) };
}

function balanced(text: string): boolean {
  return text.split('(').length === text.split(')').length;
}

function types(args: string, result: string): Pick<CelOverload, 'parameters' | 'result'> {
  return { parameters: splitTypes(args).map(readType), result: readType(result) };
}
