import type { HeapTimer } from 'kube-common';
import type { LogTools } from './log.query.js';

/** Why this side stopped a stream: it was silent for too long, or the log of another run of the container has to be read. */
export type LogStopReason = 'silent' | 'replaced';

/** The error by which a stream rejects that this side has stopped. */
export class LogStoppedError extends Error {
  constructor(readonly reason: LogStopReason) {
    super(`The stream was ended: ${reason}.`);
  }
}

/** The headers that kubectl sends. */
const HEADERS = { accept: 'text/plain, */*' };

/**
 * The connection of one stream of a log, from the request to its end. It is read only as fast as its chunks are processed: the rest waits
 * in the buffers of the connection, and then on the node. Used once.
 */
export class LogConnection implements HeapTimer {
  due = 0;
  order = 0;
  position = -1;
  private readonly controller = new AbortController();
  private lastActivity = 0;
  private isTaking = false;
  private hasOpened = false;
  private interrupt?: (reason: unknown) => void;

  constructor(private readonly tools: LogTools) {}

  /** Whether the server has begun to answer. */
  get isOpened(): boolean {
    return this.hasOpened;
  }

  /**
   * Reads until the end of the stream.
   *
   * @throws the signal's reason, a {@link LogStoppedError}, what `take` throws, an `ApiError`, or the error of the connection.
   */
  async read(path: string, signal: AbortSignal, take: (chunk: Uint8Array) => Promise<void>): Promise<void> {
    signal.throwIfAborted();
    const onAbort = (): void => this.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.lastActivity = this.tools.heap.monotonic();
    this.armWatchdog();
    try {
      await this.consume(path, take);
    } finally {
      this.tools.heap.remove(this);
      signal.removeEventListener('abort', onAbort);
      this.controller.abort();
    }
  }

  /** Stops the stream; chunks that were read before are still processed. */
  stop(reason: LogStopReason): void {
    this.abort(new LogStoppedError(reason));
  }

  /** Stops the stream if it was silent for too long. */
  fire(): void {
    const left = this.lastActivity + this.silence - this.tools.heap.monotonic();
    if (this.isTaking || left > 0) this.armWatchdog();
    else this.stop('silent');
  }

  private async consume(path: string, take: (chunk: Uint8Array) => Promise<void>): Promise<void> {
    const { api, heap, statistics } = this.tools;
    const response = await this.interruptible(api.stream(path, { signal: this.controller.signal, headers: HEADERS }));
    this.hasOpened = true;
    const chunks = response.chunks()[Symbol.asyncIterator]();
    try {
      for (;;) {
        const chunk = await this.interruptible(chunks.next());
        if (chunk.done) return;
        const begun = heap.monotonic();
        this.isTaking = true;
        await take(chunk.value);
        this.isTaking = false;
        this.lastActivity = heap.monotonic();
        statistics.blockedSeconds += (this.lastActivity - begun) / 1000;
      }
    } finally {
      this.isTaking = false;
      // Closing can take as long as the stream hangs, and aborting the signal closes it anyway.
      chunks.return?.().catch(() => undefined);
    }
  }

  private abort(reason: unknown): void {
    this.controller.abort(reason);
    this.interrupt?.(reason);
  }

  /** Waits for a promise until the stream is stopped, even if the transport does not react. */
  private interruptible<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.controller;
    return new Promise((resolve, reject) => {
      this.interrupt = reject;
      promise.then(resolve, (error: unknown) => reject(signal.aborted ? signal.reason : error));
      if (signal.aborted) reject(signal.reason);
    });
  }

  private get silence(): number {
    return this.tools.settings.silenceTimeout * 1000;
  }

  private armWatchdog(): void {
    const { heap } = this.tools;
    heap.schedule(this, Math.max(this.lastActivity, this.isTaking ? heap.monotonic() : 0) + this.silence);
  }
}
