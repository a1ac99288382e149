/** Milliseconds for which the same failures must be all that happens: longer than faults last. */
const SHORTEST_STREAK = 600_000;
/** The number of attempts of a handler that must have failed in the same way. */
const FEWEST_ATTEMPTS = 10;

/** Follows how handlers of changes end, to find an operator that fails in the same way for ever. */
export class FailureStreak {
  private readonly attempts = new Map<string, number>();
  private begun = -Infinity;

  /**
   * Follows the end of a call.
   *
   * @param now the time, in milliseconds
   * @param failure says which handler has failed, for which state of its object, and how; absent if it has not failed, or wants to wait
   */
  note(now: number, failure?: string): void {
    const attempts = failure === undefined ? undefined : this.attempts.get(failure);
    if (attempts === undefined) this.begun = now;
    if (failure === undefined) this.attempts.clear();
    else this.attempts.set(failure, (attempts ?? 0) + 1);
  }

  /** Tells whether nothing else than the same failures is to be expected. @param since the time before which nothing counts */
  isEndless(now: number, since: number): boolean {
    if (now - Math.max(this.begun, since) < SHORTEST_STREAK) return false;
    return [...this.attempts.values()].some((attempts) => attempts >= FEWEST_ATTEMPTS);
  }
}
