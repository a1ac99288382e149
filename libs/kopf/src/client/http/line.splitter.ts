const NEWLINE = 10;

/**
 * The splitter of a stream of bytes into lines. Chunks may end in the middle of a line or of a character.
 *
 * Each byte is searched and decoded once, so that the cost of a long line in many chunks is in proportion to its length.
 */
export class LineSplitter {
  private tail: Uint8Array[] = [];

  /** @param options.keepEmpty whether empty lines count. @default false */
  constructor(private readonly options: { readonly keepEmpty?: boolean } = {}) {}

  /** Adds a chunk, and calls back for each line that it completes. */
  push(chunk: Uint8Array, onLine: (line: string) => void): void {
    const buffer = asBuffer(chunk);
    let start = 0;
    let end = buffer.indexOf(NEWLINE);
    if (end >= 0 && this.tail.length) {
      this.tail.push(buffer.subarray(0, end));
      const line = this.flush();
      if (line || this.options.keepEmpty) onLine(line);
      start = end + 1;
      end = buffer.indexOf(NEWLINE, start);
    }
    while (end >= 0) {
      if (end > start || this.options.keepEmpty) onLine(buffer.toString('utf8', start, end));
      start = end + 1;
      end = buffer.indexOf(NEWLINE, start);
    }
    if (start < buffer.length) this.tail.push(start ? buffer.subarray(start) : buffer);
  }

  /** Returns the rest after the last newline; an empty string if there is none. */
  flush(): string {
    const { tail } = this;
    if (!tail.length) return '';
    this.tail = [];
    return tail.length === 1 ? asBuffer(tail[0]).toString('utf8') : Buffer.concat(tail).toString('utf8');
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
