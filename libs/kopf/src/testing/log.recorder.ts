import type { KopfLogger, LogLevel, LogMessage } from '../common/kopf.logger.js';

/** Describes one log line. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  /** The error that was logged with the message. */
  readonly error?: unknown;
}

/**
 * Keeps log lines for tests to look at, instead of printing them.
 *
 * @example
 * expect(test.logs.messages('warn', 'error')).toEqual([]);
 */
export class LogRecorder implements KopfLogger {
  readonly lines: LogLine[] = [];
  /** The messages below all levels, which can hold values of objects: bodies, diffs, and patches. */
  readonly verboseMessages: string[] = [];

  /** The messages of the given levels; without any, those of all levels but `verbose`. */
  messages(...levels: LogLevel[]): string[] {
    return this.lines.filter((line) => !levels.length || levels.includes(line.level)).map((line) => line.message);
  }

  verbose(message: LogMessage): void {
    this.verboseMessages.push(textOf(message));
  }

  debug(message: LogMessage): void {
    this.lines.push({ level: 'debug', message: textOf(message) });
  }

  log(message: LogMessage): void {
    this.lines.push({ level: 'log', message: textOf(message) });
  }

  warn(message: LogMessage): void {
    this.lines.push({ level: 'warn', message: textOf(message) });
  }

  error(message: LogMessage, error?: unknown): void {
    this.lines.push({ level: 'error', message: textOf(message), error });
  }
}

function textOf(message: LogMessage): string {
  return typeof message === 'function' ? message() : message;
}
