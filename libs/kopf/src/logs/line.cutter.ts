const NEWLINE = 10;

/**
 * The cutter of a log into lines, independently of how it is chunked. It keeps no more of a line than a limit allows, as containers write
 * lines of any length.
 */
export class LineCutter {
  private tail: Buffer[] = [];
  private length = 0;

  /** @param limit the most bytes of a line; the rest of the line is dropped. */
  constructor(private readonly limit: number) {}

  /** Adds a chunk, and returns the lines that it completes. */
  push(chunk: Uint8Array): readonly CutLine[] {
    const buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: CutLine[] = [];
    let start = 0;
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, start)) {
      this.add(buffer.subarray(start, end));
      lines.push(this.complete());
      start = end + 1;
    }
    if (start < buffer.length) this.add(buffer.subarray(start));
    return lines;
  }

  /** Returns the rest after the last newline. */
  flush(): CutLine | undefined {
    return this.length > 0 ? this.complete() : undefined;
  }

  private add(part: Buffer): void {
    const room = this.limit - this.length;
    this.length += part.length;
    if (room > 0 && part.length > 0) this.tail.push(part.length > room ? part.subarray(0, room) : part);
  }

  private complete(): CutLine {
    const isTruncated = this.length > this.limit;
    const text = this.tail.length === 1 ? this.tail[0].toString('utf8') : Buffer.concat(this.tail).toString('utf8');
    this.tail = [];
    this.length = 0;
    return { text, isTruncated };
  }
}

/** A line without its newline. */
export interface CutLine {
  readonly text: string;
  readonly isTruncated: boolean;
}
