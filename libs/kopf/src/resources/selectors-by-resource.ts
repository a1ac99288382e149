import { isMap } from 'kube-common';
import type { ResourceSelector } from './resource-selector.js';
import type { Resource } from './resources.js';
import { parseSelector, type SelectorArgs } from './selectors.js';

/** Resources as for decorators: `'pods'`, `['kopf.dev/v1', 'kopfexamples']`, `{ category: 'all' }`, `EVERYTHING`, a predicate, a class. */
export type SelectorKey = SelectorArgs[0] | SelectorArgs;

/**
 * Selectors of objects, in the API's syntax, by resources. They are an object if all resources are given by their names, and otherwise a
 * `Map` or a list of pairs.
 *
 * @example
 * const byName: SelectorsByResource = { pods: 'app=web', 'kopfexamples.kopf.dev': '!ignored' };
 * const byAnything: SelectorsByResource = [[EVERYTHING, '!ignored'], [['kopf.dev', 'v1', 'kopfexamples'], 'app=web']];
 */
export type SelectorsByResource =
  | Readonly<Record<string, string>>
  | ReadonlyMap<SelectorKey, string>
  | readonly (readonly [resource: SelectorKey, selector: string])[];

/**
 * Parses the resources of {@link SelectorsByResource}, in their order.
 *
 * @throws TypeError that names the violation.
 */
export function parseSelectorsByResource(selectors: unknown): readonly (readonly [ResourceSelector, string])[] {
  return listEntries(selectors).map((entry) => {
    if (!Array.isArray(entry) || entry.length !== 2) throw new TypeError('each item of the list must be a pair');
    const [key, selector] = entry as [unknown, unknown];
    const resource = parseSelector(Array.isArray(key) ? key : [key]);
    if (typeof selector !== 'string') throw new TypeError(`the selector for ${String(resource)} must be a string`);
    return [resource, selector];
  });
}

/** Collects the selectors of all keys that match a resource, in their order, without empty ones. */
export function collectSelectors(selectors: SelectorsByResource, resource: Resource): readonly string[] {
  const matching = parseSelectorsByResource(selectors).filter(([key]) => key.check(resource));
  return matching.map(([, selector]) => selector).filter(Boolean);
}

/** Whether there is a selector for any resource that is not empty. */
export function hasSelectors(selectors: SelectorsByResource): boolean {
  return parseSelectorsByResource(selectors).some(([, selector]) => selector !== '');
}

function listEntries(selectors: unknown): readonly unknown[] {
  if (Array.isArray(selectors)) return selectors;
  if (selectors instanceof Map) return [...selectors];
  if (isMap(selectors)) return Object.entries(selectors);
  throw new TypeError('it is neither an object, nor a Map, nor a list of pairs');
}
