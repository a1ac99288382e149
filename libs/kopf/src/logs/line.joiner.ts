import type { LogLine } from './log.line.js';
import type { LogPattern } from './log.pattern.js';

/** Says which lines belong together. */
export interface JoiningRule {
  /** Matches the first line of each message. */
  readonly start: LogPattern;
  readonly maxLines: number;
  /** Seconds after the last line until a message is taken as complete. */
  readonly timeout: number;
}

/** Joins the lines of a container that belong together, such as those of a stack trace. */
export class LineJoiner {
  private lines: LogLine[] = [];

  constructor(private readonly rule: JoiningRule) {}

  /** Tells whether there are lines of a message that can be continued. */
  get isPending(): boolean {
    return this.lines.length > 0;
  }

  /** Adds a line, and returns the message that is complete before it or with it. */
  push(line: LogLine): LogLine | undefined {
    if (this.rule.start.test(line.text)) {
      const complete = this.flush();
      this.lines.push(line);
      return complete;
    }
    this.lines.push(line);
    return this.lines.length >= this.rule.maxLines ? this.flush() : undefined;
  }

  /** Takes the message as it is. */
  flush(): LogLine | undefined {
    const { lines } = this;
    if (lines.length === 0) return undefined;
    this.lines = [];
    if (lines.length === 1) return lines[0];
    return {
      raw: lines[0].raw,
      timestamp: lines[0].timestamp,
      text: lines.map(({ text }) => text).join('\n'),
      isTruncated: lines.some(({ isTruncated }) => isTruncated),
    };
  }
}
