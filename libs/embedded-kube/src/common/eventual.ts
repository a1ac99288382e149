/** A value, now or later. */
export type Eventual<T> = T | Promise<T>;

/**
 * Goes on after something that may take time; at once if it took none, so that nothing comes between.
 */
export function after<T, R>(first: Eventual<T>, next: (value: T) => Eventual<R>): Eventual<R> {
  return first instanceof Promise ? first.then(next) : next(first);
}
