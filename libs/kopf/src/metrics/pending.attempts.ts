/** The objects for which a handler is called again, with the times. */
export class PendingAttempts {
  /** Times in milliseconds since the epoch, by the uids of the objects. */
  private readonly dueAt = new Map<string, number>();

  /** The number of objects. */
  get size(): number {
    return this.dueAt.size;
  }

  /** The time of the first attempt; `undefined` if nothing waits. */
  get earliest(): number | undefined {
    let earliest: number | undefined;
    for (const time of this.dueAt.values()) if (earliest === undefined || time < earliest) earliest = time;
    return earliest;
  }

  add(uid: string | undefined, time: number): void {
    if (uid !== undefined) this.dueAt.set(uid, time);
  }

  /** Records that the attempt is made, or that there will be none. */
  done(uid: string | undefined): void {
    if (uid !== undefined && this.dueAt.size > 0) this.dueAt.delete(uid);
  }

  clear(): void {
    this.dueAt.clear();
  }
}
