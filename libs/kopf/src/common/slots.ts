import { WaitingQueue } from 'kube-common';

/**
 * The slots that limit how much is done at the same time: how many objects are processed, or how many events are posted. What is above the
 * limit waits in the order in which it came.
 */
export class Slots {
  private taken = 0;
  private readonly waiting = new WaitingQueue();

  constructor(
    private readonly limit: () => number | null,
    /** The slots that these are a part of: an object that takes a slot here takes one there, too. */
    private readonly whole?: Slots,
    /** Called when an object has to wait. */
    private readonly onWait?: () => void,
  ) {}

  /** Waits for a slot, which must be released; `undefined` if there is a free one. */
  acquire(): Promise<void> | undefined {
    const limit = this.limit();
    if (limit === null || this.taken < limit) {
      this.taken += 1;
      return this.whole?.acquire();
    }
    this.onWait?.();
    // An object waits for a slot of the whole only after it has one here, and never the other way round, so there is no deadlock.
    return this.waiting.join().then(() => this.whole?.acquire());
  }

  release(): void {
    this.whole?.release();
    if (this.waiting.release() === 0) this.taken -= 1;
  }

  /** Lets as many objects continue as the limit allows, after it has risen. */
  admit(): void {
    const limit = this.limit() ?? Infinity;
    this.taken += this.waiting.release(Math.max(0, limit - this.taken));
    if (this.waiting.length > 0) this.onWait?.();
  }
}
