/** The reasons why a daemon or a timer is to stop, and the steps of its termination: flags, as several can be set at once. */
export enum StopReason {
  /** The handler has exited. */
  DONE = 1,
  /** The object does not match the handler's filters any more. */
  FILTERS_MISMATCH = 2,
  /** The object is being deleted, or is gone. */
  RESOURCE_DELETED = 4,
  /** The operator pauses, as another one works instead. */
  OPERATOR_PAUSING = 8,
  /** The operator stops. */
  OPERATOR_EXITING = 16,
  /** The daemon was asked to stop, and has time to exit by itself. */
  DAEMON_SIGNALLED = 32,
  /** The daemon's `signal` was aborted. */
  DAEMON_CANCELLED = 64,
  /** The daemon did not exit in time and is not waited for any longer. */
  DAEMON_ABANDONED = 128,
}

/** The flag by which a daemon is asked to stop. */
export interface StopFlag {
  /** Whether the daemon is to stop; check it as often as possible. */
  readonly isSet: boolean;
  /** The flags of {@link StopReason}; 0 while the daemon may continue. */
  readonly reason: number;
  /** Checks whether the given reason, or any of several, is among the flags. */
  has(reason: StopReason): boolean;
  /**
   * Sleeps until the daemon is to stop, but not longer than the given seconds; without them, there is no limit.
   *
   * @returns whether the daemon is to stop.
   */
  wait(seconds?: number): Promise<boolean>;
}
