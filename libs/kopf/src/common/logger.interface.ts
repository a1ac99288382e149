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
