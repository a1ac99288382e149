/** A value, now or later. */
export type Eventual<T> = T | Promise<T>;

/**
 * Calls a function with a value that may take time; at once if it takes none, so that no other request is served in between.
 */
export function after<T, R>(first: Eventual<T>, next: (value: T) => Eventual<R>): Eventual<R> {
  return first instanceof Promise ? first.then(next) : next(first);
}
