import { setMaxListeners } from 'node:events';
import type { Clock } from '../../interfaces/clock.interface.js';

/** A moment on both clocks, in milliseconds. */
export interface Moment {
  readonly monotonic: number;
  readonly now: number;
}

/**
 * The right to work on objects, which ends at a time that is extended again and again, and which can be lost and regained.
 * What was begun with a right that was lost meanwhile is not to be ended, not even if there is a new right.
 *
 * There is none in the beginning.
 */
export class Authority {
  private controller = new AbortController();
  private combined = new Map<AbortSignal, AbortSignal>();
  private until: Moment = { monotonic: -Infinity, now: -Infinity };

  constructor(private readonly clock: Clock) {
    this.controller.abort(makeReason());
  }

  /** Aborted when the right is lost that there is now. */
  get signal(): AbortSignal {
    this.verify();
    return this.controller.signal;
  }

  /** Whether there is a right now. Looks at the clock: timers can be late. */
  get isValid(): boolean {
    return !this.signal.aborted;
  }

  /** Aborted when the right is lost, or with the given signal. */
  within(signal: AbortSignal): AbortSignal {
    const own = this.signal;
    let both = this.combined.get(signal);
    if (!both) this.combined.set(signal, (both = unlimited(AbortSignal.any([signal, own]))));
    return both;
  }

  /** Whether what was begun with the signal of that time can be ended. */
  covers(signal: AbortSignal): boolean {
    this.verify();
    return !signal.aborted;
  }

  /**
   * Gives the right, or extends it.
   *
   * The right ends with whichever clock comes first: one of them stands still while a machine sleeps.
   */
  grant(until: Moment): void {
    this.until = until;
    if (!this.controller.signal.aborted) return;
    this.controller = new AbortController();
    unlimited(this.controller.signal);
    this.combined = new Map();
  }

  /** Takes the right away, until it is given again. */
  revoke(): void {
    if (!this.controller.signal.aborted) this.controller.abort(makeReason());
  }

  private verify(): void {
    const { until, clock } = this;
    if (clock.monotonic() >= until.monotonic || clock.now() >= until.now) this.revoke();
  }
}

function makeReason(): Error {
  return new Error('Another operator may be at work.');
}

/** All handlers can listen to it. */
function unlimited(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}
