import { isMap } from 'kube-common';

/** The key of values that were returned without a key. */
export const NO_KEY = null;

/** The prefix of texts that represent other values, so that no plain text is mistaken for one. */
const MARK = '\u0000';

/**
 * Converts a key to a key of a `Map`: lists, plain objects, and dates become texts of their content, `undefined` becomes `null`; other
 * values stay as they are, and other objects are keys by their identity.
 */
export function toMapKey(key: unknown): unknown {
  if (typeof key === 'string') return key.startsWith(MARK) ? `${MARK}text:${key}` : key;
  if (key === undefined) return null;
  if (Array.isArray(key) || isPlainObject(key)) return `${MARK}json:${JSON.stringify(key, normalise)}`;
  return key instanceof Date ? `${MARK}date:${key.getTime()}` : key;
}

/** Checks whether a value is a plain object, as a literal creates it. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isMap(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Sorts the fields of objects; integers beyond the safe ones become marked texts, as JSON cannot represent them. */
function normalise(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${MARK}${value}`;
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
