/** One operator in a peering object. */
export interface ConsolePeer {
  readonly identity: string;
  readonly priority: number;
  /** In milliseconds since the epoch. */
  readonly lastSeen: number;
  /** When it counts as gone if it is not seen again, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Is true for the operator that is shown. */
  readonly self: boolean;
  /** Why it pauses the others, in words. */
  readonly message?: string;
}

/** One peering object, and the operators in it. */
export interface ConsolePeering {
  readonly name: string;
  /** Absent for peerings of the cluster. */
  readonly namespace?: string;
  readonly rank?: string;
  readonly peers: readonly ConsolePeer[];
}

/** The Lease of the leader election. */
export interface ConsoleLease {
  readonly name: string;
  readonly namespace: string;
  readonly holder?: string;
  /** Tells whether the operator that is shown holds it. */
  readonly isLeader: boolean;
  /** In milliseconds since the epoch. */
  readonly renewedAt?: number;
  readonly transitions?: number;
}

/** Says who works and who pauses: `GET api/coordination`. */
export interface ConsoleCoordination {
  /** `peering`, `lease`, or `none`. */
  readonly mode: string;
  readonly identity: string;
  /** Says in words why the operator pauses; empty if it works. */
  readonly paused: readonly string[];
  readonly lease?: ConsoleLease;
  readonly peerings: readonly ConsolePeering[];
}
