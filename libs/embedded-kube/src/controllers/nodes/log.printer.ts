import { formatStamp, laterStamp, type LogStamp } from './log.stamps.js';

/** A part of a log that was printed at once. */
export interface LogPart {
  readonly text: string;
  /** The time of its first line; each line is a nanosecond later than the one before. */
  readonly stamp: LogStamp;
}

/** The options of a printed log. */
export interface LogFormat {
  /** Whether each line begins with its time. */
  readonly timestamps: boolean;
  /** The time before which lines are left out, in milliseconds since the epoch. */
  readonly since: number | undefined;
}

/** The printer of the parts of a log, one after another. */
export class LogPrinter {
  /** Whether the last part has ended its last line. */
  private isAtStart = true;
  private isShown = true;

  constructor(private readonly format: LogFormat) {}

  print({ text, stamp }: LogPart): string {
    const { timestamps, since } = this.format;
    if (!timestamps && since === undefined) return text;
    const lines = text.split(/(?<=\n)/);
    return lines.map((line, index) => this.printLine(line, laterStamp(stamp, index))).join('');
  }

  private printLine(line: string, stamp: LogStamp): string {
    const { timestamps, since } = this.format;
    const begins = this.isAtStart;
    if (begins) this.isShown = since === undefined || stamp.milliseconds >= since;
    this.isAtStart = line.endsWith('\n');
    if (!this.isShown) return '';
    return timestamps && begins && line ? `${formatStamp(stamp)} ${line}` : line;
  }
}
