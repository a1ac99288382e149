/**
 * Copies the operator's memo for an object: by its `clone()` method, if it has one; otherwise shallowly. An instance of a class is not
 * copied; lists, maps, sets, and dates are.
 */
export function copyMemo(memo: unknown): unknown {
  if (typeof memo !== 'object' || memo === null) return memo;
  if ('clone' in memo && typeof memo.clone === 'function') return memo.clone() as unknown;
  if (Array.isArray(memo)) return memo.slice();
  if (memo instanceof Map || memo instanceof Set || memo instanceof Date) {
    return new (memo.constructor as new (content: unknown) => object)(memo);
  }
  return Object.assign(Object.create(Object.getPrototypeOf(memo) as object | null) as object, memo);
}
