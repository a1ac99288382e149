import { compareTimes, type ContainerLine } from './log.line.js';

/**
 * The end of a log when the tailing of the container began: lines up to it are not wanted. It is found by its place in the log, not by a
 * time, as API servers filter by whole seconds only, and the clocks of nodes differ.
 */
export class LogAnchor {
  private readonly last: ContainerLine;
  /** The number of lines up to the end that are equal to the last one, including the time stamp. */
  private readonly count: number;
  private found = 0;

  /**
   * @param tail the last lines of the log, at least one.
   * @param isOpen whether the last line has no newline yet: it comes again with its rest.
   */
  constructor(
    tail: readonly ContainerLine[],
    private readonly isOpen: boolean,
  ) {
    this.last = tail.at(-1)!;
    this.count = tail.filter(({ raw }) => raw === this.last.raw).length;
  }

  /** The last line. */
  get line(): ContainerLine {
    return this.last;
  }

  /** Expects the lines up to the end again, for another stream. */
  rewind(): void {
    this.found = 0;
  }

  /** Whether the line is one of those up to the end. Must be called with the lines in their order. */
  covers(line: ContainerLine): boolean {
    if (this.found === this.count) return false;
    if (line.raw === this.last.raw) {
      this.found += 1;
      return true;
    }
    const isRest = this.isOpen && line.raw.startsWith(this.last.raw);
    // The last line was removed by a rotation of the log.
    const isLater = compareTimes(line, this.last) > 0;
    if (isRest || isLater) this.found = this.count;
    return !isLater;
  }
}
