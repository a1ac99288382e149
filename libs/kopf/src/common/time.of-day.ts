import type { Clock } from 'kube-common';

/**
 * Makes a time of day that only goes forward, and by as much as time passes, also when the clock is set: for what is kept in the memory, and
 * is shown as a time of day or compared with one.
 *
 * @returns the milliseconds since the epoch, if the clock is right now.
 */
export function steadyTime(clock: Clock): () => number {
  const offset = clock.now() - clock.monotonic();
  return () => offset + clock.monotonic();
}

/**
 * Says when something has happened inside the process, as the clock of the machine is set now: if this is done again later, the times since then
 * stay right.
 *
 * @param monotonic the time by the monotonic clock, in milliseconds.
 * @returns whole milliseconds since the epoch.
 */
export function timeOfDay(clock: Clock, monotonic: number): number {
  return Math.round(clock.now() - (clock.monotonic() - monotonic));
}
