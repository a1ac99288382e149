import type { Clock, KopfLogger } from 'nestjs-kopf';
import type { LogLevel, LogMessage } from 'nestjs-kopf/diagnostics';

/** A schedule that needs more has a loop in it. */
const LINE_LIMIT = 20_000;

/** Keeps what happens in a schedule as lines with their times, if somebody wants to read them. */
export class ScheduleLogger {
  readonly lines: string[] = [];

  constructor(
    private readonly clock: Clock,
    /** Tells whether anything is kept: texts take their time. */
    readonly isVerbose: boolean,
  ) {}

  note(text: string): void {
    if (this.isVerbose && this.lines.length < LINE_LIMIT) {
      this.lines.push(`${(this.clock.monotonic() / 1000).toFixed(3)} ${text}`);
    }
  }

  /** The logger of an instance of the operator. */
  of(instance: number): KopfLogger {
    const log = (level: LogLevel) => (message: LogMessage) => {
      if (this.isVerbose) this.note(`  ${instance} ${level}: ${typeof message === 'function' ? message() : message}`);
    };
    return { debug: log('debug'), log: log('log'), warn: log('warn'), error: log('error') };
  }
}
