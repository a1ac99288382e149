import { getKey, isMap, type JsonMap, setKey } from 'kube-common';

/** The names of nested fields, from the outermost one; empty for the whole object. */
export type FieldPath = readonly string[];

/** A field as users write it: `'spec.size'`, or `['metadata', 'annotations', 'example.com/a']` for names with dots. */
export type FieldSpec = string | readonly string[];

/**
 * Converts a field as users write it to its path. An empty string and an empty list mean the whole object.
 *
 * @throws TypeError if it is neither a string nor a list of strings, or a name in it is empty.
 */
export function parseFieldPath(field: FieldSpec): FieldPath {
  if (field === '') return [];
  const path: unknown = typeof field === 'string' ? field.split('.') : field;
  if (!Array.isArray(path) || !path.every((name) => typeof name === 'string' && name !== '')) {
    throw new TypeError(
      `A field must be a dotted string or a list of non-empty strings. Got ${JSON.stringify(field)}.`,
    );
  }
  return path as FieldPath;
}

/**
 * Reads a nested field. Lists are values, not levels: their items have no path.
 *
 * @returns `undefined` if the field is absent, or its parent is not a map.
 */
export function resolveField(object: unknown, path: FieldPath): unknown {
  let value = object;
  for (const name of path) {
    if (!isMap(value)) return undefined;
    value = getKey(value, name);
  }
  return value;
}

/**
 * Sets a nested field in place. Missing levels are created, and levels that are not maps are replaced by maps.
 *
 * @throws TypeError for an empty path: the object itself cannot be set.
 */
export function setField(object: JsonMap, path: FieldPath, value: unknown): void {
  const last = lastName(path);
  let map = object;
  for (const name of path.slice(0, -1)) {
    let level = getKey(map, name);
    if (!isMap(level)) setKey(map, name, (level = {}));
    map = level as JsonMap;
  }
  setKey(map, last, value);
}

/**
 * Removes a nested field in place, and the levels above it that are left empty. Does nothing if the field is absent.
 *
 * @throws TypeError for an empty path: the object itself cannot be removed.
 */
export function removeField(object: JsonMap, path: FieldPath): void {
  lastName(path);
  removeFrom(object, path, 0);
}

function removeFrom(map: JsonMap, path: FieldPath, level: number): void {
  const name = path[level];
  if (level === path.length - 1) {
    delete map[name];
    return;
  }
  const inner = getKey(map, name);
  if (!isMap(inner)) return;
  removeFrom(inner, path, level + 1);
  if (isEmptyMap(inner)) delete map[name];
}

/** Checks whether a map has no fields, without listing them. */
export function isEmptyMap(map: JsonMap): boolean {
  for (const _ in map) return false;
  return true;
}

function lastName(path: FieldPath): string {
  const last = path.at(-1);
  if (last === undefined) throw new TypeError('A field of an object is needed, not the whole object.');
  return last;
}
