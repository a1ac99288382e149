import type { KopfLogger, LogLevel, LogMessage } from '../../libs/kopf/src/common/kopf.logger.js';
import type { LoggerService } from '@nestjs/common';

/** Keeps log lines for tests to look at. */
export class MemoryLogger implements KopfLogger {
  readonly lines: { readonly level: LogLevel; readonly message: string; readonly error?: unknown }[] = [];
  /** The messages below all other levels: bodies, diffs, and patches. */
  readonly verboseMessages: string[] = [];

  /** The messages of the given levels, or all of them. */
  messages(...levels: LogLevel[]): string[] {
    return this.lines.filter((line) => !levels.length || levels.includes(line.level)).map((line) => line.message);
  }

  verbose(message: LogMessage): void {
    this.verboseMessages.push(typeof message === 'function' ? message() : message);
  }

  debug(message: LogMessage): void {
    this.add('debug', message);
  }

  log(message: LogMessage): void {
    this.add('log', message);
  }

  warn(message: LogMessage): void {
    this.add('warn', message);
  }

  error(message: LogMessage, error?: unknown): void {
    this.add('error', message, error);
  }

  private add(level: LogLevel, message: LogMessage, error?: unknown): void {
    this.lines.push({ level, message: typeof message === 'function' ? message() : message, error });
  }
}

/** Prints nothing: for tests whose operators fail on purpose. */
export class SilentLogger implements LoggerService {
  log(): void {}
  error(): void {}
  warn(): void {}
}
