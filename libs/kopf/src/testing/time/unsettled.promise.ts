/**
 * Makes a promise that is never settled, for what a process that was killed is still waiting for.
 *
 * Each caller gets another promise: a promise keeps its waiting callers in memory, and one that all processes share would keep all of them.
 */
export function neverSettled(): Promise<never> {
  return new Promise<never>(() => {});
}
