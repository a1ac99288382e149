import { deepEqual, getKey, isMap } from 'kube-common';

/** Checks whether a merge patch would change nothing of an object except observed generations, on any level. */
export function changesGenerationOnly(patch: unknown, value: unknown): boolean {
  return isShown(patch, value, isObserved) && !isShown(patch, value, () => false);
}

/** A rule by which a field counts as unchanged although its value differs. */
type Exemption = (name: string, before: unknown, after: unknown) => boolean;

function isShown(patch: unknown, value: unknown, isExempt: Exemption): boolean {
  if (!isMap(patch)) return isEqual(patch ?? null, value ?? null, isExempt);
  const present = isMap(value) ? value : {};
  return Object.keys(patch).every((name) => {
    const [before, after] = [getKey(present, name), patch[name]];
    return isExempt(name, before, after) || isShown(after, before, isExempt);
  });
}

/** Compares values that are replaced as a whole: lists and their content. */
function isEqual(a: unknown, b: unknown, isExempt: Exemption): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index], isExempt));
  }
  if (!isMap(a) || !isMap(b)) return deepEqual(a, b);
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => {
    const [left, right] = [getKey(a, name), getKey(b, name)];
    return isExempt(name, left, right) || isEqual(left, right, isExempt);
  });
}

function isObserved(name: string, before: unknown, after: unknown): boolean {
  return name === 'observedGeneration' && typeof before === 'number' && typeof after === 'number';
}
