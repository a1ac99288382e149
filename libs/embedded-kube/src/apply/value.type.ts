import { isJsonObject } from '../common/json.values.js';
import { memberName, type PathElement } from './path.element.js';

/** The form of a value, which decides how it is merged. */
export type ValueForm = 'scalar' | 'list' | 'map';

/**
 * The rules by which a value is merged. Most types allow one form; where several are allowed, the value decides which one it has. The types
 * of members and items are created on demand, as types can contain themselves.
 */
export interface ValueType {
  /** The type of the scalar; `any` allows all. */
  readonly scalar?: 'string' | 'numeric' | 'boolean' | 'any';
  readonly list?: ListType;
  readonly map?: MapType;
}

/** The rules by which a list is merged. */
export interface ListType {
  /** The members that identify an item; none for a set of scalars; absent for a list that is replaced as a whole. */
  readonly keys?: readonly string[];
  /** The values of absent keys. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  items(): ValueType;
}

/** The rules by which a mapping is merged. */
export interface MapType {
  /** Whether the mapping is replaced as a whole. */
  readonly atomic?: boolean;
  /** Returns the type of a declared member. */
  field(name: string): ValueType | undefined;
  /** Returns the type of all other members; `undefined` if there may be none. */
  others(): ValueType | undefined;
}

/** Makes a type when it is asked for, and only once. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The type of values without a schema that are replaced as a whole. */
export const OPAQUE: ValueType = {
  scalar: 'any',
  list: { items: () => OPAQUE },
  map: { atomic: true, field: () => undefined, others: () => OPAQUE },
};

/** The type of values without a schema of which lists are replaced, and mappings merged member by member. */
export const FREE: ValueType = {
  scalar: 'any',
  list: { items: () => OPAQUE },
  map: { field: () => undefined, others: () => FREE },
};

/** Returns the form in which a value of a type is to be treated. */
export function formOf({ scalar, list, map }: ValueType, value: unknown): ValueForm {
  if (Array.isArray(value) && list) return 'list';
  if (isJsonObject(value) && map) return 'map';
  if (scalar && value !== null && typeof value !== 'object') return 'scalar';
  return map ? 'map' : scalar ? 'scalar' : 'list';
}

/** Returns the type of a mapping's member, declared or not. */
export function memberType({ map }: ValueType, name: string): ValueType | undefined {
  return map?.field(name) ?? map?.others();
}

/** Returns the type of what a step leads to. */
export function typeBelow(type: ValueType, element: PathElement): ValueType | undefined {
  const name = memberName(element);
  return name === undefined ? type.list?.items() : memberType(type, name);
}

/**
 * Checks whether a value has parts that are merged one by one: the items of a list with keys or of a set, the members of most
 * mappings.
 */
export function isGranular(type: ValueType, form: ValueForm): boolean {
  if (form === 'list') return type.list?.keys !== undefined;
  return form === 'map' && !type.map?.atomic;
}
