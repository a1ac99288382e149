import { nextTurn } from '../common/event-loop.turns.js';

/** The number of unread bytes beyond which a watch ends, as its client does not read; it can resume. */
const BACKLOG_LIMIT = 64 * 1024 * 1024;

/** The bytes of initial events that are made at once, before other requests are served. */
const PART = 256 * 1024;

/** The body of a watch: chunks that are put in as changes happen, and read as fast as the client can. */
export class WatchStream implements AsyncIterableIterator<Uint8Array> {
  private chunks: Uint8Array[] = [];
  private backlog = 0;
  private ended = false;
  private initial: Iterator<Uint8Array> | undefined;
  private firstPart: Uint8Array | undefined;
  private waiting: ((result: IteratorResult<Uint8Array>) => void) | undefined;

  /** @param release called once, when the stream has ended */
  constructor(private release: (() => void) | undefined) {}

  get isEnded(): boolean {
    return this.ended;
  }

  /** Begins with chunks that are made only as fast as the client reads; what is pushed comes after them. */
  beginWith(chunks: Iterable<Uint8Array>): void {
    this.initial = chunks[Symbol.iterator]();
    // Encoders depend on the order in which lines are sent.
    this.firstPart = this.nextPart();
  }

  /** @param live whether a client that does not read the chunk is to be cut off; the objects at the beginning may be large */
  push(chunk: Uint8Array, live = true): void {
    if (this.ended) return;
    if (this.waiting) {
      const resolve = this.waiting;
      this.waiting = undefined;
      resolve({ done: false, value: chunk });
      return;
    }
    this.chunks.push(chunk);
    if (live) this.backlog += chunk.length;
    if (this.backlog > BACKLOG_LIMIT) this.end();
  }

  /** Ends the stream; chunks that it has already can still be read. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.waiting?.({ done: true, value: undefined });
    this.waiting = undefined;
    const { release } = this;
    this.release = undefined;
    release?.();
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const { firstPart } = this;
    if (firstPart) {
      this.firstPart = undefined;
      return Promise.resolve({ done: false, value: firstPart });
    }
    if (!this.initial) return this.nextChange();
    return nextTurn().then(() => {
      const value = this.nextPart();
      return value ? { done: false, value } : this.nextChange();
    });
  }

  private nextPart(): Uint8Array | undefined {
    const parts: Uint8Array[] = [];
    for (let size = 0; this.initial && size < PART;) {
      const { done, value } = this.initial.next();
      if (done) this.initial = undefined;
      else {
        parts.push(value);
        size += value.length;
      }
    }
    return parts.length > 0 ? Buffer.concat(parts) : undefined;
  }

  private nextChange(): Promise<IteratorResult<Uint8Array>> {
    if (this.chunks.length > 0) {
      const value = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
      this.chunks = [];
      this.backlog = 0;
      return Promise.resolve({ done: false, value });
    }
    if (this.ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => (this.waiting = resolve));
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.end();
    this.chunks = [];
    this.firstPart = undefined;
    this.initial = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
