/** One operator in a peering object. */
export interface InspectedPeer {
  readonly identity: string;
  readonly priority: number;
  /** In milliseconds since the epoch. */
  readonly lastSeen: number;
  /** When it counts as gone unless it is seen again, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Whether it is the operator that is shown. */
  readonly self: boolean;
  /** The reason why it pauses the others, in words. */
  readonly message?: string;
}

/** One peering object, and the operators in it. */
export interface InspectedPeering {
  readonly name: string;
  /** Absent for peerings of the cluster. */
  readonly namespace?: string;
  readonly rank?: string;
  readonly peers: readonly InspectedPeer[];
}

/** The Lease of the leader election. */
export interface InspectedLease {
  readonly name: string;
  readonly namespace: string;
  readonly holder?: string;
  /** Whether the operator that is shown holds it. */
  readonly isLeader: boolean;
  /** In milliseconds since the epoch. */
  readonly renewedAt?: number;
  readonly transitions?: number;
}

/** The operators that work and those that pause: `GET api/coordination`. */
export interface InspectedCoordination {
  /** `peering`, `lease`, or `none`. */
  readonly mode: string;
  readonly identity: string;
  /** The reasons why the operator pauses; empty if it works. */
  readonly paused: readonly string[];
  /** Whether one of them is that it was paused by hand, so that it can be resumed; absent if that is not known. */
  readonly isPausedByHand?: boolean;
  readonly lease?: InspectedLease;
  readonly peerings: readonly InspectedPeering[];
}
