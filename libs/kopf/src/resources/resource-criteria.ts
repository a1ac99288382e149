import type { Resource } from './resources.js';

/** Selects all resources of the cluster, except events: `@OnEvent(EVERYTHING)`. */
export const EVERYTHING: unique symbol = Symbol.for('nestjs-kopf.EVERYTHING');

/**
 * The criteria for a resource. Exactly one of the names, the category, and the predicate is given. All texts can be globs: `*.example.com`,
 * `backup*`.
 */
export interface ResourceCriteria {
  /** The API group; an empty string for the core group. */
  readonly group?: string;
  /** The version; without it, only the preferred version of each group is selected. */
  readonly version?: string;
  /** Any of the kind, the plural, the singular, and the short names; or all resources. */
  readonly anyName?: string | typeof EVERYTHING;
  readonly kind?: string;
  readonly plural?: string;
  readonly singular?: string;
  /** A short name: `po`. */
  readonly shortcut?: string;
  /** A category: `all`. */
  readonly category?: string;
  readonly predicate?: ResourcePredicate;
}

/** A function that selects resources; it never selects events, and also selects versions that are not preferred. */
export type ResourcePredicate = (resource: Resource) => boolean;
