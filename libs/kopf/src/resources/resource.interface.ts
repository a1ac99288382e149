// resources: which resources and which of their objects are meant: selectors of resources and objects, namespace patterns, paths.
// Pure functions: what a cluster offers is given to them, and is read in client/api/.
// May import: common, objects.

/**
 * One kind of objects that the API server serves, in one version, as found by discovery.
 *
 * Two resources are the same if their group, version, and plural name are.
 */
export interface Resource {
  /** The API group; an empty string for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Names of the subresources: `status`, `scale`. */
  readonly subresources: readonly string[];
  readonly namespaced: boolean;
  /** Is true if the server prefers this version within the group. */
  readonly preferred: boolean;
  /** Lists the operations that the API offers for the resource, whatever RBAC allows: `list`, `watch`, `patch`. */
  readonly verbs: readonly string[];
}
