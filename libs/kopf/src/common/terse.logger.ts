import type { KopfLogger, LogMessage } from './logger.interface.js';

/** Passes on warnings and errors only. */
export class TerseLogger implements KopfLogger {
  constructor(private readonly sink: KopfLogger) {}

  debug(): void {}

  log(): void {}

  warn(message: LogMessage): void {
    this.sink.warn(message);
  }

  error(message: LogMessage, error?: unknown): void {
    this.sink.error(message, error);
  }
}
