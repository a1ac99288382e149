import { StringDecoder } from 'node:string_decoder';

/** Decodes pieces as they come from so many bytes on, so that the bytes are not kept beside the text. */
const LARGE = 1024 * 1024;

/** Collects the pieces of a text: small ones are decoded at once in the end, which is fastest; large ones take the memory of the text only. */
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

  /** Takes the whole text. */
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
