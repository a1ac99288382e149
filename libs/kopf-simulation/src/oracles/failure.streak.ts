/** Milliseconds for which the same errors must be all that happens. This is longer than faults last. */
const SHORTEST_STREAK = 600_000;
/** The number of equal failed attempts of a handler. */
const FEWEST_ATTEMPTS = 10;
/** The number of attempts after which a handler that asks for a later call each time, and gives the same reason, waits in vain. */
const FEWEST_WAITS = 100;

/** Finds operators whose change handlers fail in the same way without end. */
export class FailureStreak {
  private readonly attempts = new Map<string, number>();
  /** The failures by which handlers have asked for a later call. */
  private readonly waits = new Set<string>();
  private begun = -Infinity;

  /**
   * Records the end of a call.
   *
   * @param now the time, in milliseconds
   * @param failure the handler that has failed, the state of its object, and the error; absent if the handler has not failed
   * @param isWait whether the handler has asked for a later call, as it may wait for something
   */
  note(now: number, failure?: string, isWait = false): void {
    if (failure !== undefined && isWait) this.waits.add(failure);
    const attempts = failure === undefined ? undefined : this.attempts.get(failure);
    if (attempts === undefined) this.begun = now;
    if (failure === undefined) this.attempts.clear();
    else this.attempts.set(failure, (attempts ?? 0) + 1);
  }

  /** Whether the same failures are all that is to be expected. @param since the time from which on calls count */
  isEndless(now: number, since: number): boolean {
    const isLong = now - Math.max(this.begun, since) >= SHORTEST_STREAK;
    for (const [failure, attempts] of this.attempts) {
      if (this.waits.has(failure) ? attempts >= FEWEST_WAITS : isLong && attempts >= FEWEST_ATTEMPTS) return true;
    }
    return false;
  }
}
