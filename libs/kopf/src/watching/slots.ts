import { WaitingQueue } from 'kube-common';

/** Limits how many objects are processed at the same time. Those beyond the limit wait in the order of their coming. */
export class Slots {
  private taken = 0;
  private readonly waiting = new WaitingQueue();

  constructor(
    private readonly limit: () => number | null,
    /** Those that these are a part of: what takes one of these takes one of them, too. */
    private readonly whole?: Slots,
  ) {}

  /** Waits for a slot, which must be released; `undefined` if there is no need to wait. */
  acquire(): Promise<void> | undefined {
    const limit = this.limit();
    if (limit === null || this.taken < limit) {
      this.taken += 1;
      return this.whole?.acquire();
    }
    // Whoever waits here has none of the others, so nobody waits for each other.
    return this.waiting.join().then(() => this.whole?.acquire());
  }

  release(): void {
    this.whole?.release();
    if (this.waiting.release() === 0) this.taken -= 1;
  }
}
