// coordination: which of several operators works. peering/ and leader-election/ find it out in their own ways, and pausing/ is what
// both have in common: whether the operator pauses, and the leadership without which nothing is written.
// What pauses and what goes on is decided in operator/.
// May import: client, execution, and what these may import.

import type { Resource } from '../../resources/resources.js';

/** Coordinates operators, so that only one of them works. */
export interface Coordination {
  /**
   * Adapts to the resources of the cluster and to the served namespaces.
   *
   * @param namespaces a single `undefined` means the whole cluster.
   * @returns when it is known whether the operator works or pauses, or when this cannot be found out for the time being.
   */
  adjust(available: readonly Resource[], namespaces: readonly (string | undefined)[]): Promise<void>;

  /** Lets others work. Never rejects. */
  leave(): Promise<void>;
}
