/**
 * Makes a promise that is never settled, for what a process that was killed is still waiting for.
 *
 * Each caller gets a promise of its own: a promise keeps whatever waits for it, and one that all processes share would keep all of them.
 */
export function neverSettled(): Promise<never> {
  return new Promise<never>(() => {});
}
