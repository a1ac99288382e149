/** Counts what happens in an operator under test, so that a test can tell when nothing happens any more. */
export class Activity {
  private count = 0;
  private readonly running = new Set<symbol>();

  /** Grows with everything that begins and ends. */
  get total(): number {
    return this.count;
  }

  /** Tells whether anything has begun that has not ended. */
  get isUnderWay(): boolean {
    return this.running.size > 0;
  }

  note(): void {
    this.count += 1;
  }

  /** Notes the beginning of something. @returns what notes its end. */
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
