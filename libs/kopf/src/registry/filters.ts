import { deepEqual, errorText, rejectPromise } from 'kube-common';
import { KopfError } from '../common/kopf.errors.js';
import { ABSENT, PRESENT, type MetadataFilter, type ValueFilter } from '../contexts/filter-options.js';
import { resolveField } from '../objects/field-path.js';
import { AdmissionCause } from '../contexts/admission.cause.js';
import { ChangingCause } from '../contexts/changing.cause.js';
import type { ChangingHandler, ResourceHandler } from './handler.js';
import type { ObjectCause } from '../contexts/object.causes.js';

/** The error of a filter of a handler that has thrown; its cause is what the filter threw. */
export class FilterError extends KopfError {
  readonly code = 'KOPF_FILTER';

  /** @param source the handler whose filter it is: `Operator.create`. */
  constructor(source: string, cause: unknown) {
    super(`A filter of ${source} has failed: ${errorText(cause)}`, { cause });
  }
}

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

/** Creates a filter that matches where all the given ones do; always, if none are given. */
export function allOf<Args extends readonly unknown[]>(filters: readonly FilterCallback<Args>[]): FilterCallback<Args> {
  return (...args) => filters.every((filter) => isMatch(filter(...args)));
}

/** Creates a filter that matches where any of the given ones does; never, if none are given. */
export function anyOf<Args extends readonly unknown[]>(filters: readonly FilterCallback<Args>[]): FilterCallback<Args> {
  return (...args) => filters.some((filter) => isMatch(filter(...args)));
}

/** Creates a filter that matches where none of the given ones does; always, if none are given. */
export function noneOf<Args extends readonly unknown[]>(
  filters: readonly FilterCallback<Args>[],
): FilterCallback<Args> {
  return (...args) => !filters.some((filter) => isMatch(filter(...args)));
}

/**
 * Checks whether the handler is for the object at all, whatever has happened to it.
 *
 * @throws FilterError if a callback throws.
 */
export function prematches(handler: ResourceHandler, cause: ObjectCause): boolean {
  return check(handler, cause, false);
}

/**
 * Checks whether the handler is for the object and for what has happened to it.
 *
 * @throws FilterError if a callback throws.
 */
export function matches(handler: ResourceHandler, cause: ObjectCause): boolean {
  return check(handler, cause, true);
}

function check(handler: ResourceHandler, cause: ObjectCause, withChange: boolean): boolean {
  try {
    return (
      (handler.objectSelector === undefined || handler.objectSelector.check(cause.body)) &&
      (handler.parents === undefined || handler.parents.check(cause.body)) &&
      metadataMatches(handler.labels, cause.body.metadata.labels, cause) &&
      metadataMatches(handler.annotations, cause.body.metadata.annotations, cause) &&
      fieldMatches(handler, cause) &&
      (!withChange || changeMatches(handler, cause)) &&
      (handler.when === undefined || isMatch(handler.when(cause.filterContext)))
    );
  } catch (error) {
    throw new FilterError(handler.source, error);
  }
}

function metadataMatches(
  filter: MetadataFilter<unknown> | undefined,
  content: Readonly<Record<string, string>> | null | undefined,
  cause: ObjectCause,
): boolean {
  if (filter === undefined) return true;
  for (const key of Object.keys(filter)) {
    const wanted = filter[key];
    const actual = content && Object.hasOwn(content, key) ? content[key] : undefined;
    if (!valueMatches(wanted, actual, cause)) return false;
  }
  return true;
}

function fieldMatches(handler: ChangingHandler, cause: ObjectCause): boolean {
  if (handler.field === undefined) return true;
  // With a filter for the old or the new value, the field may be absent in the other state.
  const isCompared = isGiven(handler.old) || isGiven(handler.new);
  if (cause instanceof AdmissionCause && !isGiven(handler.value) && isCompared) return true;
  const wanted = handler.value ?? PRESENT;
  if (!(cause instanceof ChangingCause)) return valueMatches(wanted, resolveField(cause.body, handler.field), cause);
  // A change belongs to both of its states, whatever kind of change it is: a deletion handler must be called for what was handled, too,
  // even if it has just gone. As in Kopf, the state before a creation has no fields at all.
  return (
    valueMatches(wanted, resolveField(cause.new, handler.field), cause) ||
    valueMatches(wanted, resolveField(cause.old, handler.field), cause)
  );
}

function changeMatches(handler: ChangingHandler, cause: ObjectCause): boolean {
  if (!(cause instanceof ChangingCause || cause instanceof AdmissionCause) || handler.field === undefined) return true;
  if (!handler.fieldNeedsChange && !isGiven(handler.old) && !isGiven(handler.new)) return true;
  const before = resolveField(cause.old, handler.field);
  const after = resolveField(cause.new, handler.field);
  return (
    (!handler.fieldNeedsChange || !deepEqual(before, after)) &&
    (!isGiven(handler.old) || valueMatches(handler.old, before, cause)) &&
    (!isGiven(handler.new) || valueMatches(handler.new, after, cause))
  );
}

/** Checks whether a filter is given: as in Kopf, `null` and `undefined` are none. */
function isGiven<T>(filter: T | null | undefined): filter is T {
  return filter !== undefined && filter !== null;
}

function valueMatches(wanted: ValueFilter<any>, actual: any, cause: ObjectCause): boolean {
  if (wanted === PRESENT) return actual !== undefined;
  if (wanted === ABSENT) return actual === undefined;
  if (typeof wanted === 'function')
    return isMatch((wanted as (...args: unknown[]) => unknown)(actual, cause.filterContext));
  return actual !== undefined && deepEqual(wanted, actual);
}

/**
 * Reads what a filter callback has returned. A promise is an error: it would always match, like any object.
 *
 * @throws TypeError if it is a promise
 */
export function isMatch(answer: unknown): boolean {
  rejectPromise(answer, 'it returned a promise, and filters must not be asynchronous');
  return Boolean(answer);
}
