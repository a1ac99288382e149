/** Levels of log lines, from the least to the most important; `verbose` is below them, and is not for handlers. */
export type LogLevel = 'debug' | 'log' | 'warn' | 'error';

/** A message, or a function that makes it when the level is enabled. */
export type LogMessage = string | (() => string);

/**
 * Receives log lines. Handlers get one that knows their object.
 *
 * The method names are Nest's; `log` is what Kopf calls `info`.
 */
export interface KopfLogger {
  /**
   * For what can hold values of objects: bodies, diffs, patches; those of Secrets are left out. Such lines are never posted as events.
   * Loggers that have no such method drop them.
   */
  verbose?(message: LogMessage): void;
  debug(message: LogMessage): void;
  log(message: LogMessage): void;
  warn(message: LogMessage): void;
  /** Logs the message, and the stack of the error if one is given. */
  error(message: LogMessage, error?: unknown): void;
}

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
