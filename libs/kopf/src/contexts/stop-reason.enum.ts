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
