import { backoffDelay } from '../common/backoff.js';

/** Seconds before a rejected part is sent again; the last delay repeats. */
const PAUSES = [1, 2, 5, 10, 30, 60, 120, 300];

/** The longest pause in seconds after the object has changed, as the change may have removed the reason of the rejection. */
const PAUSE_AFTER_EVENT = 10;

/** A part of the bookkeeping that an API server can reject: the state that is stored on the object, or the finalizer. */
export type BookkeepingPart = 'state' | 'finalizer';

/** The parts as messages name them. */
export const PART_TITLES: Readonly<Record<BookkeepingPart, string>> = {
  state: "the operator's state of the object",
  finalizer: "the operator's finalizer",
};

/** Describes a rejection: `the API server does not store the operator's finalizer: …`. */
export function describeRejection(part: BookkeepingPart, reason: string): string {
  return `The API server does not store ${PART_TITLES[part]}: ${reason}`;
}

/** The rejection of one part of an object's bookkeeping, from the first error until the part is stored. */
export class BookkeepingRejection {
  private attempts = 0;
  private triedAt = 0;
  private pausedUntil = 0;

  constructor(
    /** The error of the last attempt. */
    public error: Error,
    /** The longest pause, in seconds. */
    private readonly longestPause: number,
  ) {}

  /** Records another rejected attempt. @returns seconds until the next attempt */
  noteAttempt(error: Error, now: number): number {
    this.error = error;
    this.attempts += 1;
    const pause = Math.min(backoffDelay(PAUSES, this.attempts), this.longestPause);
    this.triedAt = now;
    this.pausedUntil = now + pause * 1000;
    return pause;
  }

  /** Records that the object has changed, which may allow an earlier attempt. */
  noteEvent(): void {
    this.pausedUntil = Math.min(this.pausedUntil, this.triedAt + PAUSE_AFTER_EVENT * 1000);
  }

  /** Computes the seconds until the part is sent again. @param now milliseconds of the monotonic clock */
  dueIn(now: number): number {
    return Math.max(0, (this.pausedUntil - now) / 1000);
  }
}
