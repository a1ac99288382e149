import type { SharedText } from './shared.texts.js';

/** What has its text in a block. */
export interface BlockMember {
  moveTo(block: TextBlock<any>, start: number, length: number, shared: SharedText | undefined, at: number): void;
  /** Whether it is current, and its text is in the block. */
  isCurrentIn(block: TextBlock<any>): boolean;
}

/**
 * Texts of objects outside of the heap, one after the other: neither their number nor their size costs the garbage collector anything.
 *
 * Nothing is ever written over, so that bytes can be sent without a copy.
 */
export class TextBlock<Member extends BlockMember> {
  /** The objects whose texts were written here; some may be of the past. */
  private members: Member[] = [];
  private used = 0;
  private lost = 0;
  private readonly buffer: Buffer;

  /** @param relocate called with the objects that are left once most texts are those of past states; none is written here any more */
  constructor(
    size: number,
    private readonly relocate: (block: TextBlock<Member>, left: readonly Member[]) => void,
  ) {
    // Not from Node's pool, which would be held as a whole.
    this.buffer = Buffer.allocUnsafeSlow(size);
  }

  /**
   * @param text as text, or as bytes of another block
   * @param length of the text, in bytes
   * @param shared the part that is not written here, as other objects have it as well; it belongs after so many bytes as `at` says
   * @returns `false` if there is no room for the text
   */
  write(object: Member, text: string | Uint8Array, length: number, shared?: SharedText, at = 0): boolean {
    if (this.used + length > this.buffer.length) return false;
    const start = this.used;
    if (typeof text === 'string') this.buffer.write(text, start, 'utf8');
    else this.buffer.set(text, start);
    this.used += length;
    this.members.push(object);
    object.moveTo(this, start, length, shared, at);
    return true;
  }

  read(start: number, length: number): string {
    return this.buffer.toString('utf8', start, start + length);
  }

  bytes(start: number, length: number): Uint8Array {
    return this.buffer.subarray(start, start + length);
  }

  startsWith(start: number, head: string): boolean {
    return this.buffer.toString('latin1', start, start + head.length) === head;
  }

  /** Counts bytes that no current object needs. */
  lose(length: number): void {
    this.lost += length;
    if (this.lost * 2 < this.buffer.length) return;
    const left = this.members.filter((each) => each.isCurrentIn(this));
    this.members = [];
    this.lost = -Infinity;
    this.relocate(this, left);
  }
}
