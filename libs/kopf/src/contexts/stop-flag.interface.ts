import type { StopReason } from './stop-reason.enum.js';

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
