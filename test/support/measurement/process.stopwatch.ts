import { existsSync, readFileSync } from 'node:fs';

const SCHEDSTAT = '/proc/self/schedstat';

/**
 * Starts to measure how long this process takes, without the time for which it was ready to run but other processes had the cores: a busy
 * machine is no reason for a test to fail. Where the system does not tell that time, it is not left out.
 *
 * @returns the seconds since the start.
 */
export function startStopwatch(): () => number {
  const begun = performance.now() / 1000 - secondsInQueue();
  return () => performance.now() / 1000 - secondsInQueue() - begun;
}

/** For how long the main thread has waited for a core since it began. */
function secondsInQueue(): number {
  if (!existsSync(SCHEDSTAT)) return 0;
  return Number(readFileSync(SCHEDSTAT, 'utf8').split(' ')[1]) / 1e9;
}
