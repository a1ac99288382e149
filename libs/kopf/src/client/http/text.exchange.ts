import type { Dispatcher } from 'undici';
import type { KubeRequest, KubeResponse } from './kube-transport.interface.js';
import { joinHeaders, type RawHeaders } from './header.values.js';
import { FencedRequestError } from './request.fence.js';
import { TextCollector } from './text.collector.js';

/**
 * Exchanges one short request and its response over HTTP, and collects the response as a text. It avoids the streams of a
 * response, which cost more than all the rest of a request.
 */
export class TextExchange implements Dispatcher.DispatchHandler {
  private readonly body = new TextCollector();
  private status = 0;
  private headers: RawHeaders = {};
  private resolve: (response: KubeResponse) => void;
  private reject: (error: unknown) => void;
  private onAbort?: () => void;

  private constructor(
    private readonly signal: AbortSignal | undefined,
    private readonly isFenced: (() => boolean) | undefined,
  ) {}

  /** Sends the request; resolves when the whole response is there. */
  static run(
    dispatcher: Dispatcher,
    options: Dispatcher.DispatchOptions,
    { signal, isFenced }: Pick<KubeRequest, 'signal' | 'isFenced'>,
  ): Promise<KubeResponse> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const exchange = new TextExchange(signal, isFenced);
      exchange.resolve = resolve;
      exchange.reject = reject;
      dispatcher.dispatch(options, exchange);
    });
  }

  /** Called when a connection is free and the request is about to be written to it. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.isFenced?.()) return controller.abort(new FencedRequestError());
    if (!this.signal) return;
    this.onAbort = () => controller.abort(this.signal?.reason as Error);
    if (this.signal.aborted) this.onAbort();
    else this.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    this.status = status;
    this.headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.body.push(chunk);
  }

  onResponseEnd(): void {
    this.finish();
    this.resolve(new TextResponse(this.status, this.headers, this.body.finish()));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.finish();
    this.reject(error);
  }

  private finish(): void {
    if (this.onAbort) this.signal?.removeEventListener('abort', this.onAbort);
  }
}

/** A response that is there as a whole. */
class TextResponse implements KubeResponse {
  constructor(
    readonly status: number,
    private readonly rawHeaders: RawHeaders,
    private readonly body: string,
  ) {}

  get headers(): Readonly<Record<string, string>> {
    return joinHeaders(this.rawHeaders);
  }

  text(): Promise<string> {
    return Promise.resolve(this.body);
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(this.body);
  }
}
