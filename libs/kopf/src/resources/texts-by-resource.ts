import { isMap } from 'kube-common';
import type { ResourceSelector } from './resource-selector.js';
import type { Resource } from './resources.js';
import { parseSelector, type SelectorArgs } from './selectors.js';

/** A resource as for decorators: `'pods'`, `['kopf.dev/v1', 'kopfexamples']`, `{ category: 'all' }`, `EVERYTHING`, a predicate, a class. */
export type SelectorKey = SelectorArgs[0] | SelectorArgs;

/**
 * Texts by resources: an object if all resources have a name as their key, or else a `Map` or a list of pairs.
 *
 * @example
 * const byName: TextsByResource = { pods: 'app=web', 'kopfexamples.kopf.dev': '!ignored' };
 * const byAnything: TextsByResource = [[EVERYTHING, '!ignored'], [['kopf.dev', 'v1', 'kopfexamples'], 'app=web']];
 */
export type TextsByResource =
  | Readonly<Record<string, string>>
  | ReadonlyMap<SelectorKey, string>
  | readonly (readonly [resource: SelectorKey, text: string])[];

/**
 * Parses the resources of {@link TextsByResource}, in their order.
 *
 * @throws TypeError that names the violation.
 */
export function parseTextsByResource(texts: unknown): readonly (readonly [ResourceSelector, string])[] {
  return listEntries(texts).map((entry) => {
    if (!Array.isArray(entry) || entry.length !== 2) throw new TypeError('each item of the list must be a pair');
    const [key, text] = entry as [unknown, unknown];
    const selector = parseSelector(Array.isArray(key) ? key : [key]);
    if (typeof text !== 'string') throw new TypeError(`the value for ${String(selector)} must be a string`);
    return [selector, text];
  });
}

/** Collects the texts that are not empty of all keys that match a resource, in their order. */
export function collectTexts(texts: TextsByResource, resource: Resource): readonly string[] {
  const matching = parseTextsByResource(texts).filter(([selector]) => selector.check(resource));
  return matching.map(([, text]) => text).filter(Boolean);
}

/** Whether any resource has a text that is not empty. */
export function hasTexts(texts: TextsByResource): boolean {
  return parseTextsByResource(texts).some(([, text]) => text !== '');
}

function listEntries(texts: unknown): readonly unknown[] {
  if (Array.isArray(texts)) return texts;
  if (texts instanceof Map) return [...texts];
  if (isMap(texts)) return Object.entries(texts);
  throw new TypeError('it is neither an object, nor a Map, nor a list of pairs');
}
