import type { ContainerLine } from './log.line.js';
import type { LogPattern } from './log.pattern.js';

/** The rule by which lines are joined to a message. */
export interface JoiningRule {
  /** The pattern of the first line of each message. */
  readonly start: LogPattern;
  readonly maxLines: number;
  /** Seconds after the last line until a message counts as complete. */
  readonly timeout: number;
}

/** The joiner of lines of a container that belong together, such as those of a stack trace. */
export class LineJoiner {
  private lines: ContainerLine[] = [];

  constructor(private readonly rule: JoiningRule) {}

  /** Whether there is a message that further lines can continue. */
  get isPending(): boolean {
    return this.lines.length > 0;
  }

  /** Adds a line, and returns the message that is complete before it or with it. */
  push(line: ContainerLine): ContainerLine | undefined {
    if (this.rule.start.test(line.text)) {
      const complete = this.flush();
      this.lines.push(line);
      return complete;
    }
    this.lines.push(line);
    return this.lines.length >= this.rule.maxLines ? this.flush() : undefined;
  }

  /** Returns the pending message as it is. */
  flush(): ContainerLine | undefined {
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
