/**
 * Copies the operator's memo for an object: by its own `clone()` method if there is one, otherwise shallowly.
 * An instance of a class stays one.
 */
export function copyMemo(memo: unknown): unknown {
  if (typeof memo !== 'object' || memo === null) return memo;
  if ('clone' in memo && typeof memo.clone === 'function') return memo.clone() as unknown;
  return Object.assign(Object.create(Object.getPrototypeOf(memo) as object | null) as object, memo);
}
