import { HttpExchange, HttpResponse } from './http.exchange.js';
import { StringDecoder } from 'node:string_decoder';

/** The exchange of one short request and its response, which is collected as a text: it resolves when the whole response has arrived. */
export class TextExchange extends HttpExchange {
  private readonly body = new TextCollector();
  private status = 0;
  private headers: readonly Buffer[] = [];

  onHeaders(status: number, headers: Buffer[]): boolean {
    this.status = status;
    this.headers = headers;
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.body.push(chunk);
    return true;
  }

  protected onEnd(): void {
    this.resolve(new TextResponse(this.status, this.headers, this.body.finish()));
  }

  protected onFailure(error: Error): void {
    this.reject(error);
  }
}

/** A response that has arrived completely. */
class TextResponse extends HttpResponse {
  constructor(
    status: number,
    headerLines: readonly Buffer[],
    private readonly body: string,
  ) {
    super(status, headerLines);
  }

  text(): string {
    return this.body;
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
