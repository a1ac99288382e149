import { HttpExchange, HttpResponse } from './http.exchange.js';
import { TextCollector } from './text.exchange.js';

/** The number of bytes that wait to be consumed above which no more are read from the connection. */
const MOST_WAITING = 256 * 1024;

/**
 * The exchange of one request whose response arrives over a long time: a watch, or a followed log. It resolves when the status and the headers
 * have arrived.
 */
export class StreamExchange extends HttpExchange {
  private body?: StreamedBody;

  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    // Informational responses come before the response.
    if (status < 200) return true;
    this.body = new StreamedBody(resume, (error) => this.cancel(error));
    this.resolve(new StreamedResponse(status, headers, this.body));
    return true;
  }

  onData(chunk: Buffer): boolean {
    return this.body!.push(chunk);
  }

  protected onEnd(): void {
    this.body?.end();
  }

  protected onFailure(error: Error): void {
    if (this.body) this.body.end(error);
    else this.reject(error);
  }
}

/** A response whose body is still arriving. */
class StreamedResponse extends HttpResponse {
  constructor(
    status: number,
    headerLines: readonly Buffer[],
    private readonly body: StreamedBody,
  ) {
    super(status, headerLines);
  }

  async text(): Promise<string> {
    const collector = new TextCollector();
    for await (const chunk of this.body) collector.push(chunk);
    return collector.finish();
  }

  chunks(): AsyncIterable<Uint8Array> {
    return this.body;
  }
}

const DONE = { done: true, value: undefined } as const;

/** The body of a response as it arrives. It has one consumer, and stops the connection while that is behind. */
class StreamedBody implements AsyncIterableIterator<Buffer, undefined> {
  private readonly waiting: Buffer[] = [];
  private waitingBytes = 0;
  private isPaused = false;
  private ended?: { readonly error?: Error };
  private consumer?: { resolve(result: IteratorResult<Buffer, undefined>): void; reject(error: Error): void };

  constructor(
    private readonly resume: () => void,
    private readonly cancel: (error: Error) => void,
  ) {}

  /** Adds a chunk. Returns whether more may be read from the connection. */
  push(chunk: Buffer): boolean {
    const { consumer } = this;
    if (consumer) {
      this.consumer = undefined;
      consumer.resolve({ done: false, value: chunk });
      return true;
    }
    this.waiting.push(chunk);
    this.waitingBytes += chunk.length;
    this.isPaused = this.waitingBytes > MOST_WAITING;
    return !this.isPaused;
  }

  /** Ends the body after what has arrived. @param error the reason if the body is not complete */
  end(error?: Error): void {
    if (this.ended) return;
    const { consumer } = this;
    // The error is given once: to the consumer that waits, or to the next one.
    this.ended = consumer ? {} : { error };
    this.consumer = undefined;
    if (error) consumer?.reject(error);
    else consumer?.resolve(DONE);
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    const value = this.waiting.shift();
    if (value) {
      this.waitingBytes -= value.length;
      if (this.isPaused && this.waitingBytes <= MOST_WAITING / 2) {
        this.isPaused = false;
        this.resume();
      }
      return Promise.resolve({ done: false, value });
    }
    if (!this.ended) return new Promise((resolve, reject) => (this.consumer = { resolve, reject }));
    const { error } = this.ended;
    this.ended = {};
    return error ? Promise.reject(error) : Promise.resolve(DONE);
  }

  /** Closes the connection, unless the response is complete. */
  return(): Promise<IteratorResult<Buffer, undefined>> {
    this.waiting.length = 0;
    if (!this.ended) {
      this.ended = {};
      this.cancel(new Error('The rest of the response is not needed.'));
    }
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
