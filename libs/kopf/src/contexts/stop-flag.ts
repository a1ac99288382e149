/** Tells why a daemon or a timer is to stop, and how far its termination has come: flags, as several can hold at once. */
export enum StopReason {
  /** It has exited. */
  DONE = 1,
  /** The object does not match the handler's filters any more. */
  FILTERS_MISMATCH = 2,
  /** The object is being deleted, or is gone. */
  RESOURCE_DELETED = 4,
  /** The operator pauses, as another one works instead. */
  OPERATOR_PAUSING = 8,
  /** The operator stops. */
  OPERATOR_EXITING = 16,
  /** It is given time to exit on its own. */
  DAEMON_SIGNALLED = 32,
  /** Its `signal` was aborted. */
  DAEMON_CANCELLED = 64,
  /** It did not exit in time and is not waited for any longer. */
  DAEMON_ABANDONED = 128,
}

/** Tells a daemon whether it is to stop. */
export interface StopFlag {
  /** Is true once the daemon is to stop; check it as often as possible. */
  readonly isSet: boolean;
  /** Holds the flags of {@link StopReason}; 0 while the daemon may go on. */
  readonly reason: number;
  /** Tells whether the given reason, or any of several, is among the flags. */
  has(reason: StopReason): boolean;
  /**
   * Sleeps until the daemon is to stop, and not longer than the given seconds; without them, as long as it takes.
   *
   * @returns whether the daemon is to stop.
   */
  wait(seconds?: number): Promise<boolean>;
}
