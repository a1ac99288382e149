import type { Clock, ClockTimer } from 'kube-common';
import type { LeadershipTerm } from '../coordination/pausing/leadership.term.js';

/** The most objects that are processed at the same time in the first second of a term; twice as many in the next one, and so on. */
const FIRST = 32;
/** Seconds after which the number has no limit any more. */
const LENGTH = 10;

/**
 * The limit of how many objects are processed at the same time after a take-over. All objects are to be processed at once then, in requests that would
 * make the API server slow, also for the renewal of the Lease. So the limit rises slowly.
 */
export class SlowStart {
  private term?: LeadershipTerm;
  private begun = 0;
  private timer?: ClockTimer;

  /** @param clock measures the time of the term, and is cleared at its end */
  constructor(private readonly clock: Clock) {}

  /** The limit now; `null` if there is none. @param term the present term of the leadership */
  limitIn(term: LeadershipTerm): number | null {
    if (!term.isLimited) return null;
    if (term !== this.term) {
      this.term = term;
      this.begun = this.clock.monotonic();
    }
    const seconds = Math.floor((this.clock.monotonic() - this.begun) / 1000);
    return seconds < LENGTH ? FIRST * 2 ** seconds : null;
  }

  /** Calls a function when the limit has risen, as an object waits for it. */
  onRise(callback: () => void): void {
    this.timer?.cancel();
    const passed = (this.clock.monotonic() - this.begun) % 1000;
    this.timer = this.clock.setTimer(callback, 1000 - passed);
  }
}
