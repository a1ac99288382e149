/** A JSON object: a map, not a list. */
export type JsonMap = Record<string, unknown>;

/** Whether a value is a map: an object, but not a list and not `null`. */
export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Sets an own field of a map, with any name.
 *
 * Names come from the cluster, and `__proto__` among them would replace the prototype instead of adding a field.
 */
export function setKey(map: JsonMap, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    map[key] = value;
  }
}

/** Reads an own field of a map, or `undefined` if there is none; never what all objects inherit. */
export function getKey(map: JsonMap, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/**
 * Converts a value to what JSON has of it, if it says itself how it is serialised, as dates do; other values stay as they are.
 */
export function serialized(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return 'toJSON' in value && typeof value.toJSON === 'function' ? (value.toJSON() as unknown) : value;
}

/** Copies a JSON value with all its maps and lists; the order of fields is kept. */
export function deepCopy<T>(value: T): T;
export function deepCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(deepCopy);
  const copy: JsonMap = {};
  for (const key in value) setKey(copy, key, deepCopy((value as JsonMap)[key]));
  return copy;
}

/**
 * Compares two JSON values strictly: `1` is not `true`, and a field with `null` is not an absent one.
 * Integers are equal if they are the same ones, as numbers or as bigints.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return isSameInteger(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return !Array.isArray(b) && equalMaps(a as JsonMap, b as JsonMap);
}

function isSameInteger(a: unknown, b: unknown): boolean {
  if (typeof a === 'number') return typeof b === 'bigint' && isSameInteger(b, a);
  return typeof a === 'bigint' && Number.isInteger(b) && BigInt(b as number) === a;
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) {
    if (!deepEqual(a[index], b[index])) return false;
  }
  return true;
}

function equalMaps(a: JsonMap, b: JsonMap): boolean {
  let surplus = 0;
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key])) return false;
    surplus++;
  }
  for (const _ in b) surplus--;
  return surplus === 0;
}

/**
 * Applies a merge patch (RFC 7386): `null` removes a field, maps are merged, everything else replaces what was there.
 *
 * Neither the value nor the patch is changed; the result shares with them what the patch does not concern.
 */
export function applyMergePatch(value: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: JsonMap = isMap(value) ? { ...value } : {};
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (change === undefined) continue;
    if (change === null) delete result[key];
    else setKey(result, key, applyMergePatch(Object.hasOwn(result, key) ? result[key] : undefined, change));
  }
  return result;
}
