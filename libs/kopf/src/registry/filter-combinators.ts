import { isMatch } from './filter-answer.js';

/** Any filter callback: of an object (`when`) or of a value (`labels`, `value`, …). */
export type FilterCallback<Args extends readonly unknown[]> = (...args: Args) => boolean;

/**
 * Makes a filter that matches where the given one does not.
 *
 * @example
 * @OnCreate('pods', { when: not(isPaused) })
 */
export function not<Args extends readonly unknown[]>(filter: FilterCallback<Args>): FilterCallback<Args> {
  return (...args) => !isMatch(filter(...args));
}

/** Makes a filter that matches where all the given ones do; always, if none are given. */
export function allOf<Args extends readonly unknown[]>(filters: readonly FilterCallback<Args>[]): FilterCallback<Args> {
  return (...args) => filters.every((filter) => isMatch(filter(...args)));
}

/** Makes a filter that matches where any of the given ones does; never, if none are given. */
export function anyOf<Args extends readonly unknown[]>(filters: readonly FilterCallback<Args>[]): FilterCallback<Args> {
  return (...args) => filters.some((filter) => isMatch(filter(...args)));
}

/** Makes a filter that matches where none of the given ones does; always, if none are given. */
export function noneOf<Args extends readonly unknown[]>(
  filters: readonly FilterCallback<Args>[],
): FilterCallback<Args> {
  return (...args) => !filters.some((filter) => isMatch(filter(...args)));
}
