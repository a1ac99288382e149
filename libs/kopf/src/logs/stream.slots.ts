import { unlessAborted, WaitingQueue } from 'kube-common';
import type { LogStatistics } from './log.statistics.js';

/** Limits how many streams are open at the same time. */
export class StreamSlots {
  private readonly queue = new WaitingQueue();

  constructor(
    private readonly limit: () => number,
    private readonly statistics: LogStatistics,
  ) {}

  /**
   * Waits until there is room for another stream.
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
      // The turn comes all the same, and is the next one's.
      void turn.then(() => this.release());
      throw error;
    } finally {
      statistics.waiting -= 1;
    }
  }

  /** Gives the place to the one that has waited longest. */
  release(): void {
    if (this.queue.release() === 0) this.statistics.open -= 1;
  }
}
