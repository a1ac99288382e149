import type { Clock } from './clock.interface.js';

/**
 * Waits for the given seconds, or until the signal is aborted; never rejects.
 *
 * @returns whether the whole time was slept.
 */
export function sleep(clock: Clock, seconds: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = (): void => {
      timer.cancel();
      resolve(false);
    };
    const timer = clock.setTimer(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve(true);
    }, seconds * 1000);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
