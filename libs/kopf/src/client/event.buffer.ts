/** Turns what is pushed into an iteration; keeps what was not taken yet. */
export class EventBuffer<T> {
  private events: T[] = [];
  private wake?: () => void;

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
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal?.reason);
    if (signal?.aborted) return;
    signal?.addEventListener('abort', onAbort, { once: true });
    let ended = false;
    const push = (event: T): void => {
      this.events.push(event);
      this.wake?.();
    };
    const running = produce(push, controller.signal).finally(() => {
      ended = true;
      this.wake?.();
    });
    try {
      while (!ended || this.events.length) {
        const events = this.events;
        this.events = [];
        yield* events;
        if (!ended && !this.events.length) await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      controller.abort();
      await running;
    }
  }
}
