/** A line of a file. */
export interface FileLine {
  readonly line: string;
  /** Whether the line ends with a line break; only the last line can lack it. */
  readonly complete: boolean;
  /** The length with the line's end. */
  readonly bytes: number;
}

/** Reads lines of any length with bounded reads. */
export function* readLines(read: (buffer: Uint8Array) => number, chunkSize = 1 << 20): Generator<FileLine> {
  const chunk = Buffer.alloc(chunkSize);
  let parts: Buffer[] = [];
  for (let length = read(chunk); length > 0; length = read(chunk)) {
    let start = 0;
    for (let end = chunk.indexOf(10, 0); end >= 0 && end < length; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      yield lineOf(parts, true);
      parts = [];
      start = end + 1;
    }
    if (start < length) parts.push(Buffer.from(chunk.subarray(start, length)));
  }
  if (parts.length > 0) yield lineOf(parts, false);
}

function lineOf(parts: readonly Buffer[], complete: boolean): FileLine {
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  return { line: bytes.toString('utf8'), complete, bytes: bytes.length + (complete ? 1 : 0) };
}
