import type { KopfLogger, LogMessage } from './logger.interface.js';

/** Passes everything on as something for debugging only: for what was said before, and would be said again and again. */
export class LevelFilteredLogger implements KopfLogger {
  constructor(private readonly sink: KopfLogger) {}

  verbose(message: LogMessage): void {
    this.sink.verbose?.(message);
  }

  debug(message: LogMessage): void {
    this.sink.debug(message);
  }

  log(message: LogMessage): void {
    this.sink.debug(message);
  }

  warn(message: LogMessage): void {
    this.sink.debug(message);
  }

  error(message: LogMessage): void {
    this.sink.debug(message);
  }
}
