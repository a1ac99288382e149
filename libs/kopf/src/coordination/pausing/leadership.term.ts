import { setMaxListeners } from 'node:events';
import { type Clock, Deferred } from 'kube-common';
import type { RequestFence } from '../../common/request.fence.js';
import type { EventLoopBlockage } from '../../execution/event-loop.blockage.js';
import { LeadershipLostError } from '../../execution/handler.errors.js';

/** Represents a point in time on both clocks, in milliseconds. */
export interface Timestamp {
  readonly monotonic: number;
  readonly now: number;
}

/** The end of a term that nothing limits. */
export const UNLIMITED: Timestamp = { monotonic: Infinity, now: Infinity };

/**
 * Represents one uninterrupted time of leadership. Work that was begun in a term must be finished in the same one.
 *
 * A term has a time until which it is known to last. After this time it has *expired*: it is either confirmed, if no other
 * operator has led meanwhile, or it ends. Until then nothing is begun, and nothing is written.
 */
export class LeadershipTerm implements RequestFence {
  /** Explains why the term has ended, if the event loop was blocked. */
  blockage?: EventLoopBlockage;
  private readonly controller = new AbortController();
  /** Settled when an expired term is confirmed or has ended. */
  private confirmation?: Deferred;

  /**
   * @param until the time until which the term lasts: with whichever clock comes first, as one of them stands still while a machine sleeps.
   * @param onExpired called once each time when the term has expired; returns whether it can still be confirmed.
   */
  constructor(
    private readonly clock: Clock,
    private until: Timestamp,
    private readonly onExpired: () => boolean = () => false,
  ) {
    setMaxListeners(0, this.controller.signal);
  }

  /** Aborted when the term ends. */
  get signal(): AbortSignal {
    this.verify();
    return this.controller.signal;
  }

  /** Tells whether anything can make the term expire. */
  get isLimited(): boolean {
    return this.until.monotonic !== Infinity;
  }

  /** Tells whether the term lasts now. It looks at the clock, as timers can be late. */
  get isOpen(): boolean {
    this.verify();
    return !this.confirmation && !this.controller.signal.aborted;
  }

  /** Tells whether the term has ended for good. */
  get isOver(): boolean {
    return this.signal.aborted;
  }

  /** Resolves when an expired term is confirmed or has ended; absent if there is nothing to wait for. */
  get pending(): Promise<void> | undefined {
    this.verify();
    return this.confirmation && this.untilSettled();
  }

  get reason(): Error {
    return this.controller.signal.reason as Error;
  }

  /** Lets the term last until the given time, whether it has expired meanwhile or not. */
  extend(until: Timestamp): void {
    this.until = until;
    if (!this.isPast) this.settle();
  }

  /** Ends the term for good. */
  end(blockage?: EventLoopBlockage): void {
    if (this.controller.signal.aborted) return;
    this.blockage = blockage;
    this.controller.abort(new LeadershipLostError());
    this.settle();
  }

  private verify(): void {
    if (this.confirmation || this.controller.signal.aborted || !this.isPast) return;
    this.confirmation = new Deferred();
    if (!this.onExpired()) this.end();
  }

  private get isPast(): boolean {
    const { until, clock } = this;
    return this.isLimited && (clock.monotonic() >= until.monotonic || clock.now() >= until.now);
  }

  private settle(): void {
    this.confirmation?.resolve();
    this.confirmation = undefined;
  }

  /** Waits in a loop, as the term can expire again before those who wait go on. */
  private async untilSettled(): Promise<void> {
    for (; this.confirmation; this.verify()) await this.confirmation.promise;
  }
}
