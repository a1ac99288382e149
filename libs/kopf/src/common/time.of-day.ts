import type { Clock } from 'kube-common';

/**
 * Creates a clock that only goes forward, also when the system clock is set: for times that are kept in memory, and are shown as times of
 * day or compared with them.
 *
 * @returns the milliseconds since the epoch, if the system clock is right at the call.
 */
export function steadyTime(clock: Clock): () => number {
  const offset = clock.now() - clock.monotonic();
  return () => offset + clock.monotonic();
}

/**
 * Converts a monotonic time to a time of day, by the current setting of the system clock: if it is set later, the times since then stay
 * consistent.
 *
 * @param monotonic the time of the monotonic clock, in milliseconds.
 * @returns whole milliseconds since the epoch.
 */
export function timeOfDay(clock: Clock, monotonic: number): number {
  return Math.round(clock.now() - (clock.monotonic() - monotonic));
}
