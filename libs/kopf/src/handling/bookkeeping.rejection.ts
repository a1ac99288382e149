import { backoffDelay } from '../common/backoff.js';

/** Seconds until what was refused is sent again; the last one repeats. */
const PAUSES = [1, 2, 5, 10, 30, 60, 120, 300];

/** Seconds after which it is sent again at the latest if the object has changed: what is refused can depend on what the object is like. */
const PAUSE_AFTER_EVENT = 10;

/** Says which part of the framework's own changes an API server refuses: its state of the object, or the finalizer. */
export type BookkeepingPart = 'state' | 'finalizer';

/** The parts in words. */
export const PART_TITLES: Readonly<Record<BookkeepingPart, string>> = {
  state: "the operator's state of the object",
  finalizer: "the operator's finalizer",
};

/** Says what is refused: `the API server does not store the operator's finalizer: …`. */
export function describeRejection(part: BookkeepingPart, reason: string): string {
  return `The API server does not store ${PART_TITLES[part]}: ${reason}`;
}

/** The rejection of a part of the framework's own changes of one object, from the first answer until the part is stored. */
export class BookkeepingRejection {
  private attempts = 0;
  private triedAt = 0;
  private pausedUntil = 0;

  constructor(
    /** Why it was refused the last time. */
    public error: Error,
    /** Limits the pauses, in seconds. */
    private readonly longestPause: number,
  ) {}

  /** Records another rejection. @returns seconds until the next attempt */
  noteAttempt(error: Error, now: number): number {
    this.error = error;
    this.attempts += 1;
    const pause = Math.min(backoffDelay(PAUSES, this.attempts), this.longestPause);
    this.triedAt = now;
    this.pausedUntil = now + pause * 1000;
    return pause;
  }

  /** Records that the object has changed. */
  noteEvent(): void {
    this.pausedUntil = Math.min(this.pausedUntil, this.triedAt + PAUSE_AFTER_EVENT * 1000);
  }

  /** Seconds until the part is to be sent again. @param now milliseconds of the monotonic clock */
  dueIn(now: number): number {
    return Math.max(0, (this.pausedUntil - now) / 1000);
  }
}
