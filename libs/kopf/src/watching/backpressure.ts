import { type Clock, WaitingQueue } from 'kube-common';

/**
 * Holds objects back while many patches are under way: begun with all at once, as after a list, they would only wait
 * for connections in the middle of their processing, where each takes much more memory than its event.
 *
 * It holds back nobody for long: an object that is admitted counts as a patch until the next tick of the event loop only, so that handlers
 * which take their time, and objects without anything to patch, do not stand in the way of others.
 */
export class Backpressure {
  private underWay = 0;
  /** Counts those that were admitted since the last tick; some of them may be patching already. */
  private fresh = 0;
  private readonly waiting = new WaitingQueue();
  private isScheduled = false;

  constructor(
    private readonly clock: Clock,
    /** Limits how many patches may be under way before others are held back. */
    private readonly limit: () => number,
  ) {}

  /** Waits to be let in; `undefined` if there is no need to wait. */
  enter(): Promise<void> | undefined {
    if (this.waiting.length === 0 && this.underWay + this.fresh < this.limit()) {
      this.fresh += 1;
      return undefined;
    }
    this.scheduleTick();
    return this.waiting.join();
  }

  /** Counts a patch while it is under way. */
  async track<T>(patch: Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await patch;
    } finally {
      this.underWay -= 1;
      if (this.waiting.length > 0) this.scheduleTick();
    }
  }

  private scheduleTick(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.clock.setTimer(() => this.tick(), 0);
  }

  private tick(): void {
    this.isScheduled = false;
    this.fresh = this.waiting.release(Math.max(0, this.limit() - this.underWay));
    // Without any patch under way, nothing else would bring the next tick.
    if (this.fresh > 0 && this.waiting.length > 0) this.scheduleTick();
  }
}
