/**
 * Refuses what a function has returned that must not be asynchronous.
 *
 * @throws TypeError if it is a promise
 */
export function rejectPromise(returned: unknown, message: string): void {
  if (!(returned instanceof Promise)) return;
  // Nobody waits for it, so its rejection would end the process.
  returned.catch(() => undefined);
  throw new TypeError(message);
}
