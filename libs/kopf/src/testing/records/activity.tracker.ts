/** The activity of an operator under test, by which a test finds out when nothing happens any more. */
export class ActivityTracker {
  private count = 0;
  private readonly running = new Set<symbol>();

  /** The number of everything that has begun and ended. */
  get total(): number {
    return this.count;
  }

  /** Whether anything has begun that has not ended. */
  get isUnderWay(): boolean {
    return this.running.size > 0;
  }

  record(): void {
    this.count += 1;
  }

  /** Records the beginning of something. @returns a function that records its end. */
  begin(): () => void {
    const token = Symbol();
    this.running.add(token);
    this.count += 1;
    return () => {
      if (this.running.delete(token)) this.count += 1;
    };
  }

  /** Forgets what has not ended: it never will. */
  clear(): void {
    this.running.clear();
  }
}
