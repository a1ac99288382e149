import type { Dispatcher } from 'undici';
import type { KubeRequest, KubeResponse } from 'kube-common';
import { FencedRequestError } from './fenced-request.error.js';
import { parseHeaders } from './raw.headers.js';

/** What a request carries for its exchange. */
export type ExchangeLimits = Pick<KubeRequest, 'signal' | 'isFenced'>;

/** The class of an exchange. */
type ExchangeClass = new (
  limits: ExchangeLimits,
  resolve: (response: KubeResponse) => void,
  reject: (error: Error) => void,
) => HttpExchange;

/**
 * The exchange of one request and its response over HTTP, without the streams of a response, which cost more than the rest of a request.
 *
 * It uses those callbacks of undici 7 that are given the headers as bytes. The newer ones are given parsed headers, of which nothing is
 * read in nearly all responses; to parse them takes as long as to collect the body.
 */
export abstract class HttpExchange implements Dispatcher.DispatchHandler {
  private abort?: (error?: Error) => void;
  private onAbort?: () => void;

  constructor(
    private readonly limits: ExchangeLimits,
    protected readonly resolve: (response: KubeResponse) => void,
    protected readonly reject: (error: Error) => void,
  ) {}

  /** Sends the request. Resolves when as much of the response has arrived as the exchange waits for. */
  static run(
    this: ExchangeClass,
    dispatcher: Dispatcher,
    options: Dispatcher.DispatchOptions,
    limits: ExchangeLimits,
  ): Promise<KubeResponse> {
    if (limits.signal?.aborted) return Promise.reject(limits.signal.reason as Error);
    return new Promise((resolve, reject) => {
      dispatcher.dispatch(options, new this(limits, resolve, reject));
    });
  }

  /** Called when a connection is free, and the request is about to be written to it. */
  onConnect(abort: (error?: Error) => void): void {
    const { signal, isFenced } = this.limits;
    this.abort = abort;
    if (isFenced?.()) return abort(new FencedRequestError());
    if (!signal) return;
    this.onAbort = () => abort(signal.reason as Error);
    if (signal.aborted) this.onAbort();
    else signal.addEventListener('abort', this.onAbort, { once: true });
  }

  abstract onHeaders(status: number, headers: Buffer[], resume: () => void): boolean;

  abstract onData(chunk: Buffer): boolean;

  onComplete(): void {
    this.release();
    this.onEnd();
  }

  onError(error: Error): void {
    this.release();
    this.onFailure(error);
  }

  /** Called when the response has arrived completely. */
  protected abstract onEnd(): void;

  /** Called when there is no response, or when it ends before it is complete. */
  protected abstract onFailure(error: Error): void;

  /** Closes the connection, as the rest of the response is not needed. */
  protected cancel(error: Error): void {
    this.abort?.(error);
  }

  private release(): void {
    if (this.onAbort) this.limits.signal?.removeEventListener('abort', this.onAbort);
  }
}

/** A response whose headers are parsed when they are read. */
export abstract class HttpResponse implements KubeResponse {
  constructor(
    readonly status: number,
    private readonly headerLines: readonly Buffer[],
  ) {}

  get headers(): Readonly<Record<string, string>> {
    return parseHeaders(this.headerLines);
  }

  abstract text(): string | Promise<string>;

  abstract chunks(): AsyncIterable<Uint8Array>;
}
