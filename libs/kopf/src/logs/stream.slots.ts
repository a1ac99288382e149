import { unlessAborted, WaitingQueue } from 'kube-common';
import type { LogStatistics } from './log.statistics.js';

/** The slots for streams that are open at the same time. */
export class StreamSlots {
  private readonly queue = new WaitingQueue();

  constructor(
    private readonly limit: () => number,
    private readonly statistics: LogStatistics,
  ) {}

  /**
   * Waits for a free slot.
   *
   * @param onWaiting called if it has to wait.
   * @throws the signal's reason.
   */
  async take(signal: AbortSignal, onWaiting: () => void): Promise<void> {
    const { statistics } = this;
    if (statistics.open < this.limit()) {
      statistics.open += 1;
      return;
    }
    onWaiting();
    statistics.waiting += 1;
    const turn = this.queue.join();
    try {
      await unlessAborted(turn, signal);
    } catch (error) {
      // The slot is still granted when it is this waiter's turn, so it is passed on.
      void turn.then(() => this.release());
      throw error;
    } finally {
      statistics.waiting -= 1;
    }
  }

  /** Frees a slot for the one that has waited longest. */
  release(): void {
    if (this.queue.release() === 0) this.statistics.open -= 1;
  }
}
