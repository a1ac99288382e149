import { LinkedSignal } from '../common/linked.signal.js';
import { Deferred } from 'kube-common';

/** Turns what is pushed into an iteration; keeps what was not taken yet. */
export class EventBuffer<T> {
  private events: T[] = [];
  /** Resolved when there is something to take, or nothing more comes. */
  private news = new Deferred();

  /**
   * Runs a producer, and iterates over what it pushes until it has ended.
   *
   * @param signal ends both.
   * @param produce gets the function to push with, and a signal that ends it also when the loop is left.
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
