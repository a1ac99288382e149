/** Milliseconds for which the same failures must be all that happens. This is longer than faults last. */
const SHORTEST_STREAK = 600_000;
/** The number of equal failed attempts of a handler. */
const FEWEST_ATTEMPTS = 10;

/** Finds operators whose change handlers fail in the same way without end. */
export class FailureStreak {
  private readonly attempts = new Map<string, number>();
  private begun = -Infinity;

  /**
   * Records the end of a call.
   *
   * @param now the time, in milliseconds
   * @param failure the handler that has failed, the state of its object, and the error; absent if the handler has not failed, or has asked for a
   *   delay
   */
  note(now: number, failure?: string): void {
    const attempts = failure === undefined ? undefined : this.attempts.get(failure);
    if (attempts === undefined) this.begun = now;
    if (failure === undefined) this.attempts.clear();
    else this.attempts.set(failure, (attempts ?? 0) + 1);
  }

  /** Whether the same failures are all that is to be expected. @param since the time from which on calls count */
  isEndless(now: number, since: number): boolean {
    if (now - Math.max(this.begun, since) < SHORTEST_STREAK) return false;
    return [...this.attempts.values()].some((attempts) => attempts >= FEWEST_ATTEMPTS);
  }
}
