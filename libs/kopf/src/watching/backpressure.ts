import { type Clock, WaitingQueue } from 'kube-common';

/**
 * The limit of patches that are sent at the same time. Objects wait for it before they are processed. If all objects of a list were processed
 * at once, most of them would wait for a connection with a half-done cycle, which takes much more memory than a waiting event.
 *
 * Objects do not wait long: an admitted object counts as a patch only until the next tick of the event loop, so that slow handlers, and
 * objects without a patch, do not hold up the others.
 */
export class Backpressure {
  private underWay = 0;
  /** The number of objects that were admitted since the last tick. Some of them may be sending patches already. */
  private fresh = 0;
  private readonly waiting = new WaitingQueue();
  private isScheduled = false;

  constructor(
    private readonly clock: Clock,
    /** Returns the number of concurrent patches above which objects wait. */
    private readonly limit: () => number,
  ) {}

  /** Waits for admission; `undefined` if the object is admitted at once. */
  enter(): Promise<void> | undefined {
    if (this.waiting.length === 0 && this.underWay + this.fresh < this.limit()) {
      this.fresh += 1;
      return undefined;
    }
    this.scheduleTick();
    return this.waiting.join();
  }

  /** Counts a patch that is sent, until {@link endPatch}. */
  beginPatch(): void {
    this.underWay += 1;
  }

  endPatch(): void {
    this.underWay -= 1;
    if (this.waiting.length > 0) this.scheduleTick();
  }

  private scheduleTick(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.clock.setTimer(() => this.tick(), 0);
  }

  private tick(): void {
    this.isScheduled = false;
    this.fresh = this.waiting.release(Math.max(0, this.limit() - this.underWay));
    // Without any concurrent patch, nothing else would schedule the next tick.
    if (this.fresh > 0 && this.waiting.length > 0) this.scheduleTick();
  }
}
