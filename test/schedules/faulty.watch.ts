import type { Clock } from 'nestjs-kopf';

/** The end of a silence: the lines that were held back arrive, the connection ends with an error or in an orderly way, or nothing happens. */
export type SilenceEnd = 'lines' | 'reset' | 'end' | 'nothing';

const ENDED = new Error('The stream has ended');

/** A watch of the operator on its way: it can fall silent for a while, or for ever, as a half-open connection does. */
export class FaultyWatch {
  private readonly controller = new AbortController();
  private silence?: Promise<void>;
  private speak?: () => void;

  constructor(
    private readonly clock: Clock,
    private readonly onClosed: (line: FaultyWatch) => void,
  ) {}

  /** Aborted when the connection is gone. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Lets nothing through for so many seconds. */
  fallSilent(seconds: number, then: SilenceEnd): void {
    this.silence ??= new Promise((resolve) => (this.speak = resolve));
    if (then !== 'nothing') this.clock.setTimer(() => this.conclude(then), seconds * 1000);
  }

  /** Passes chunks on, as far as the line lets them through. */
  async *pass(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        if (this.silence) await orAborted(this.silence, signal);
        yield chunk;
      }
      // The end of a connection is not heard of in a silence either.
      if (this.silence) await orAborted(this.silence, signal);
    } catch (error) {
      if (error === ENDED) return;
      if (this.silence && !this.signal.aborted) await orAborted(this.silence, signal);
      throw error;
    } finally {
      this.onClosed(this);
    }
  }

  private conclude(then: SilenceEnd): void {
    this.silence = undefined;
    if (then === 'lines') this.speak?.();
    else this.controller.abort(then === 'end' ? ENDED : reset());
  }
}

/** An error as it is raised when a connection breaks. */
export function reset(): Error {
  return Object.assign(new Error('The connection was reset'), { code: 'ECONNRESET' });
}

/** Waits for the promise, but not longer than until the signal is aborted. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    const done = (): void => signal.removeEventListener('abort', abort);
    promise.then(resolve, reject).finally(done);
  });
}
