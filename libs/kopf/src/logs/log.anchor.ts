import { compareTimes, type LogLine } from './log.line.js';

/**
 * The end of a log as it was when the container began to be followed: the lines up to it are not wanted. It is found by its place in the log,
 * not by a time, as API servers know whole seconds only, and nodes have clocks of their own.
 */
export class LogAnchor {
  private readonly last: LogLine;
  /** Counts the lines up to the end that are the same as the last one, time stamp included. */
  private readonly count: number;
  private found = 0;

  /**
   * @param tail the last lines of the log, at least one.
   * @param isOpen whether the last line has no end yet: it comes again with its rest.
   */
  constructor(
    tail: readonly LogLine[],
    private readonly isOpen: boolean,
  ) {
    this.last = tail.at(-1)!;
    this.count = tail.filter(({ raw }) => raw === this.last.raw).length;
  }

  /** The time stamp of the last line, in a line. */
  get line(): LogLine {
    return this.last;
  }

  /** Expects the log from before the end on, once more. */
  rewind(): void {
    this.found = 0;
  }

  /** Whether the line is one of those up to the end. To be called with the lines in their order. */
  covers(line: LogLine): boolean {
    if (this.found === this.count) return false;
    if (line.raw === this.last.raw) {
      this.found += 1;
      return true;
    }
    const isRest = this.isOpen && line.raw.startsWith(this.last.raw);
    // The last line was rotated away.
    const isLater = compareTimes(line, this.last) > 0;
    if (isRest || isLater) this.found = this.count;
    return !isLater;
  }
}
