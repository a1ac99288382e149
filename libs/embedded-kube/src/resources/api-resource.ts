/** A resource in one version, as discovery describes it. */
export interface ApiResource {
  /** The API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** In discovery's order: alphabetical, as `create, delete, deletecollection, get, list, patch, update, watch`. */
  readonly verbs: readonly string[];
  readonly subresources: readonly ApiSubresource[];
  /** Whether this is the group's preferred version. Without any, the first listed version is. */
  readonly preferred?: boolean;
}

/** A subresource: `status`, `scale`, `log`, `eviction`. */
export interface ApiSubresource {
  /** The part behind the slash. */
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  /** The group of the kind, where it differs from the resource's: `autoscaling` for `scale`. */
  readonly group?: string;
  readonly version?: string;
}
