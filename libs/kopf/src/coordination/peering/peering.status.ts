import type { Resource } from '../../resources/resources.js';
import type { Peer } from './peer.js';
import type { PeeringRank } from './peer.evaluation.js';

/** Reports the state of one peering object. */
export interface PeeringStatus {
  readonly resource: Resource;
  /** `undefined` for a cluster-wide one. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** Tells whether the object exists. */
  readonly exists: boolean;
  readonly rank: PeeringRank;
  /** All operators in it, this one included, as they were when the object has changed for the last time. */
  readonly peers: readonly Peer[];
  /** The identities of those because of which this operator pauses. */
  readonly blockers: readonly string[];
}
