import { setMaxListeners } from 'node:events';
import { type Clock, Deferred } from 'kube-common';
import type { RequestFence } from '../../common/request.fence.js';
import type { EventLoopBlockage } from '../../execution/event-loop.blockage.js';
import { LeadershipLostError } from '../../execution/handler.errors.js';

/** A point in time on both clocks, in milliseconds. */
export interface Timestamp {
  readonly monotonic: number;
  readonly now: number;
}

/** The end of a term without a limit. */
export const UNLIMITED: Timestamp = { monotonic: Infinity, now: Infinity };

/**
 * One uninterrupted time of leadership. Work that was begun in a term must be finished in the same term.
 *
 * A term is known to last until a certain time. After this time it has *expired*: no work begins and nothing is written, until the term is
 * either confirmed, if no other operator has led in the meantime, or ends.
 */
export class LeadershipTerm implements RequestFence {
  /** The blockage of the event loop that has ended the term, if there was one. */
  blockage?: EventLoopBlockage;
  private readonly controller = new AbortController();
  /** Settled when an expired term is confirmed or has ended. */
  private confirmation?: Deferred;

  /**
   * @param until the time until which the term lasts, by the clock that comes first, as a clock may stand still while the machine is
   *   suspended
   * @param onExpired called each time when the term has expired; returns whether it can still be confirmed
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

  /** Whether the term can expire. */
  get isLimited(): boolean {
    return this.until.monotonic !== Infinity;
  }

  /** Whether the term lasts now. Reads the clocks, as timers can be late. */
  get isOpen(): boolean {
    this.verify();
    return !this.confirmation && !this.controller.signal.aborted;
  }

  /** Whether the term has ended. */
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

  /** Extends the term until the given time. An expired term is confirmed by this. */
  extend(until: Timestamp): void {
    this.until = until;
    if (!this.isPast) this.settle();
  }

  /** Ends the term. */
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

  /** Waits in a loop, as the term can expire again before the caller resumes. */
  private async untilSettled(): Promise<void> {
    for (; this.confirmation; this.verify()) await this.confirmation.promise;
  }
}
