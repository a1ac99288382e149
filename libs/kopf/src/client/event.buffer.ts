import { LinkedSignal } from '../common/linked.signal.js';
import { Deferred } from 'kube-common';

/** A buffer that turns pushed events into an iteration, and keeps events that were not consumed yet. */
export class EventBuffer<T> {
  private events: T[] = [];
  /** Resolved when there is an event to consume, or when no more events come. */
  private news = new Deferred();

  /**
   * Runs a producer, and iterates over the events that it pushes until it has ended.
   *
   * @param signal ends both.
   * @param produce receives the function to push with, and a signal that also ends it when the loop is left.
   */
  async *iterate(
    signal: AbortSignal | undefined,
    produce: (push: (event: T) => void, stop: AbortSignal) => Promise<void>,
  ): AsyncGenerator<T, void, undefined> {
    if (signal?.aborted) return;
    const leaving = new LinkedSignal(...(signal ? [signal] : []));
    let ended = false;
    const push = (event: T): void => {
      this.events.push(event);
      this.news.resolve();
    };
    const running = produce(push, leaving.signal).finally(() => {
      ended = true;
      this.news.resolve();
    });
    try {
      while (!ended || this.events.length) {
        const events = this.events;
        this.events = [];
        this.news = new Deferred();
        yield* events;
        if (!ended && !this.events.length) await this.news.promise;
      }
    } finally {
      leaving.abort();
      await running;
    }
  }
}
