/** Minutes over which calls are counted. */
const MINUTES = 5;

/** The numbers of calls by the minute, for their rate over the last five minutes. */
export class CallRate {
  /** The counts by the minute since the epoch. */
  private readonly minutes = new Map<number, number>();

  /** @param at when the call was made, in milliseconds since the epoch. */
  record(at: number): void {
    const minute = minuteOf(at);
    this.minutes.set(minute, (this.minutes.get(minute) ?? 0) + 1);
    for (const each of this.minutes.keys()) if (each <= minute - MINUTES) this.minutes.delete(each);
  }

  /** Computes the calls per minute. */
  at(now: number): number {
    const minute = minuteOf(now);
    const counts = [...this.minutes].filter(([each]) => each > minute - MINUTES).map(([, count]) => count);
    return counts.reduce((sum, count) => sum + count, 0) / MINUTES;
  }
}

function minuteOf(time: number): number {
  return Math.floor(time / 60_000);
}
