import type { LogAnchor } from './log.anchor.js';
import { hashText, type ContainerLine, SecondReader } from './log.line.js';

/** Seconds before the newest line from which a log is read again: two streams of a container can be written in the wrong order. */
const OVERLAP = 1;

/** What a line is: `new`, `known` from an earlier stream, or the first one after a `gap`, if no known line came again. */
export type LineNovelty = 'new' | 'known' | 'gap';

/**
 * The last lines of a log, so that reading can continue after an interruption without losing or repeating lines.
 *
 * API servers find the beginning of a log by whole seconds. So the lines of the last seconds come again, in the order in which they came
 * before: they are distinguished from new lines by comparing them one after another, as lines can have the same time stamp.
 */
export class ReplayWindow {
  private readonly reader = new SecondReader();
  private seconds: number[] = [];
  private hashes: number[] = [];
  private newest = -Infinity;
  /** The index of the known line that is expected next; -1 if none is expected; -2 until the first one is found. */
  private expected = -1;

  private anchor?: LogAnchor;

  /** @param from the second from which the log is wanted. @default its beginning */
  constructor(private from?: number) {}

  /** Treats the lines up to the anchor as known. */
  beginAfter(anchor: LogAnchor): void {
    this.anchor = anchor;
    this.from = this.reader.secondOf(anchor.line);
  }

  /** The second since the epoch to read from; `undefined` for the beginning. */
  get since(): number | undefined {
    if (this.newest === -Infinity) return this.from;
    return Math.max(this.newest - OVERLAP, this.from ?? -Infinity);
  }

  /** Whether no line has come yet. */
  get isEmpty(): boolean {
    return this.newest === -Infinity;
  }

  /** Expects the lines from {@link since} on again, for another stream. */
  reopen(): void {
    this.expected = this.hashes.length > 0 ? -2 : -1;
    if (this.since !== this.from) this.anchor = undefined;
    this.anchor?.rewind();
  }

  /** Treats the next lines as new, after a gap. */
  acceptGap(): void {
    this.expected = -1;
  }

  /** Classifies a line, and remembers it if it is new. */
  take(line: ContainerLine): LineNovelty {
    const hash = hashText(line.raw);
    if (this.expected === -2) {
      const place = this.hashes.indexOf(hash);
      if (place < 0) return 'gap';
      this.expected = place;
    }
    const isUnwanted = this.anchor?.covers(line) ?? false;
    if (this.expected >= 0) {
      if (this.hashes[this.expected] === hash) {
        this.expected += 1;
        if (this.expected === this.hashes.length) this.expected = -1;
        return 'known';
      }
      this.expected = -1;
    }
    this.remember(this.reader.secondOf(line), hash);
    return isUnwanted ? 'known' : 'new';
  }

  private remember(second: number, hash: number): void {
    if (second > this.newest) {
      this.newest = second;
      this.forgetBefore(second - OVERLAP);
    }
    // An older line does not come again.
    if (second < this.newest - OVERLAP) return;
    this.seconds.push(second);
    this.hashes.push(hash);
  }

  private forgetBefore(limit: number): void {
    const { seconds, hashes } = this;
    const kept = seconds.flatMap((second, index) => (second >= limit ? [index] : []));
    if (kept.length === seconds.length) return;
    this.seconds = kept.map((index) => seconds[index]);
    this.hashes = kept.map((index) => hashes[index]);
  }
}
