import { deepEqual, getKey, isMap } from './json.js';

/**
 * Checks whether a merge patch, or a part of it, would change nothing of a value but generations that were observed before, wherever
 * they are in it.
 */
export function isShown(patch: unknown, value: unknown): boolean {
  if (!isMap(patch)) return isEqual(patch ?? null, value ?? null);
  const present = isMap(value) ? value : {};
  return Object.keys(patch).every((key) => isShownField(key, patch[key], getKey(present, key)));
}

function isShownField(key: string, patch: unknown, value: unknown): boolean {
  return isObserved(key, patch, value) || isShown(patch, value);
}

/** Compares values of which lists are replaced as a whole: their items have to be the same, but for observed generations. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  }
  if (!isMap(a) || !isMap(b)) return deepEqual(a, b);
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => {
    const [left, right] = [getKey(a, key), getKey(b, key)];
    return isObserved(key, left, right) || isEqual(left, right);
  });
}

function isObserved(key: string, a: unknown, b: unknown): boolean {
  return key === 'observedGeneration' && typeof a === 'number' && typeof b === 'number';
}
