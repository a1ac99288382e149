import type { EVERYTHING } from './everything.enum.js';
import type { ResourceDeclaration } from './resource-declaration.js';
import type { Resource } from './resource.interface.js';

/** A resource by its parts; exactly one of the names is given. */
export interface SelectorParts {
  group?: string;
  version?: string;
  kind?: string;
  plural?: string;
  singular?: string;
  shortcut?: string;
  category?: string;
}

/** A function that picks resources; events are never picked, and versions count even if not preferred. */
export type ResourcePredicate = (resource: Resource) => boolean;

/**
 * Selects the resources that handlers are for:
 *
 * - any name, with an optional version and group: `'pods'`, `'Pod'`, `'po'`, `'deployments.apps'`, `'deployments.v1.apps'`;
 * - a group and version, and any name: `'kopf.dev/v1', 'kopfexamples'`, or `'v1', 'pods'`, or `'kopf.dev', 'kopfexamples'`;
 * - all three: `'kopf.dev', 'v1', 'kopfexamples'`;
 * - parts: `{ category: 'all' }`, `{ group: 'kopf.dev', kind: 'KopfExample' }`;
 * - `EVERYTHING`, a predicate, or a class that declares its resource.
 */
export type SelectorArgs =
  | readonly [name: string | SelectorParts | typeof EVERYTHING | ResourcePredicate | ResourceDeclaration]
  | readonly [groupVersionOrGroup: string, name: string]
  | readonly [group: string, version: string, name: string];
