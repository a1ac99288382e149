import type { Dispatcher } from 'undici';
import type { KubeRequest, KubeResponse } from 'kube-common';
import { FencedRequestError } from './fenced-request.error.js';
import { joinHeaders, type RawHeaders } from './raw.headers.js';
import { StringDecoder } from 'node:string_decoder';

/**
 * The exchange of one short request and its response over HTTP, collected as a text. It avoids the streams of a response, which cost more
 * than the rest of a request.
 */
export class TextExchange implements Dispatcher.DispatchHandler {
  private readonly body = new TextCollector();
  private status = 0;
  private headers: RawHeaders = {};
  private onAbort?: () => void;

  private constructor(
    private readonly signal: AbortSignal | undefined,
    private readonly isFenced: (() => boolean) | undefined,
    private readonly resolve: (response: KubeResponse) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  /** Sends the request. Resolves when the whole response has arrived. */
  static run(
    dispatcher: Dispatcher,
    options: Dispatcher.DispatchOptions,
    { signal, isFenced }: Pick<KubeRequest, 'signal' | 'isFenced'>,
  ): Promise<KubeResponse> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      dispatcher.dispatch(options, new TextExchange(signal, isFenced, resolve, reject));
    });
  }

  /** Called when a connection is free, and the request is about to be written to it. */
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

/** A response that has arrived completely. */
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

/** The number of bytes above which chunks are decoded as they arrive, so that the bytes are not kept in addition to the text. */
const LARGE = 1024 * 1024;

/**
 * The collector of a text from chunks. A small text is decoded at once in the end, which is fastest; a large one chunk by chunk, which
 * saves memory.
 */
export class TextCollector {
  private pieces: Buffer[] = [];
  private size = 0;
  private decoder?: StringDecoder;
  private text = '';

  push(piece: Buffer): void {
    if (this.decoder) {
      this.text += this.decoder.write(piece);
      return;
    }
    this.pieces.push(piece);
    this.size += piece.length;
    if (this.size > LARGE) this.decodeAsTheyCome();
  }

  /** Returns the whole text. */
  finish(): string {
    const { pieces, decoder } = this;
    if (decoder) return this.text + decoder.end();
    return (pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)).toString('utf8');
  }

  private decodeAsTheyCome(): void {
    const { pieces } = this;
    this.decoder = new StringDecoder('utf8');
    this.pieces = [];
    for (const piece of pieces) this.text += this.decoder.write(piece);
  }
}
