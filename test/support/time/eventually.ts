import { setTimeout as pause } from 'node:timers/promises';

/** The default limit of a wait, in seconds. */
const PATIENCE = 30;

/**
 * Waits until the check returns something, by looking again and again.
 *
 * @param what is named in the error if it does not come.
 * @returns what the check has returned: anything but `undefined`, `null`, and `false`.
 */
export async function eventually<T>(
  what: string,
  check: () => T | Promise<T>,
  seconds = PATIENCE,
): Promise<NonNullable<Exclude<T, false>>> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== null && found !== false) return found as NonNullable<Exclude<T, false>>;
    if (performance.now() > until) throw new Error(`Waited for ${seconds} seconds in vain: ${what}`);
    await pause(30);
  }
}

/** Gives the error that a promise is rejected with, for a test to look at. */
export function failure(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    () => expect.unreachable('should have failed'),
    (error: unknown) => error,
  );
}
