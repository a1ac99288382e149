import { type CelType, DYN } from './cel.type.js';
import type { ListIdentity } from './cel.value.js';

/** A field of an object: the name in JSON, which expressions may have to write in another way. */
export interface DeclaredField {
  readonly name: string;
  readonly declared: DeclaredType;
}

/** The type of data from the cluster, with the limits of its size in the schema. */
export interface DeclaredType {
  readonly type: CelType;
  /** The form of values in JSON, where the type alone does not define it: `byte`, `date`. */
  readonly format?: string | undefined;
  /** The fields of an object, by the names that expressions use. */
  readonly fields?: ReadonlyMap<string, DeclaredField>;
  /** The type of the items of a list, or of the values of a map. */
  readonly element?: DeclaredType;
  readonly identity?: ListIdentity | undefined;
  /** The most items, members or characters that there can be. */
  readonly maxElements: number;
  /** The fewest bytes that a value takes in JSON. */
  readonly minSize: number;
}

/** The type of data of which nothing is known. */
export const ANYTHING: DeclaredType = { type: DYN, maxElements: Infinity, minSize: 1 };

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** Returns the name that expressions use for a field; undefined if they cannot name it. */
export function escapeFieldName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (part) => ESCAPES[part]!);
}
