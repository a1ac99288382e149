// common: logging, backoff, turns of the event loop, and values as Go writes them, beside what all packages need, which is in kube-common.
// Stands at the bottom because everything else needs it. Nothing here knows Kubernetes.
// May import: nothing of this library but kube-common.

/** Delays that double from failure to failure; both in the same unit. */
export interface Backoff {
  /** The delay after the first failure. */
  readonly first: number;
  /** The delay that is never exceeded. */
  readonly longest: number;
}

/**
 * Returns the delay before the next attempt.
 *
 * @param failures how many attempts have failed in a row; 0 needs no delay
 *
 * @example backoffDelay({ first: 10, longest: 300 }, 3) // 40
 */
export function backoffDelay({ first, longest }: Backoff, failures: number): number {
  return failures > 0 ? Math.min(first * 2 ** (failures - 1), longest) : 0;
}
