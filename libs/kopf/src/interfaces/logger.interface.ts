/** Levels of log lines, from the least to the most important. */
export type LogLevel = 'debug' | 'log' | 'warn' | 'error';

/** A message, or a function that makes it when the level is enabled. */
export type LogMessage = string | (() => string);

/**
 * Where log lines go. Handlers get one that knows their object.
 *
 * The method names are Nest's; `log` is what Kopf calls `info`.
 */
export interface KopfLogger {
  debug(message: LogMessage): void;
  log(message: LogMessage): void;
  warn(message: LogMessage): void;
  /** Logs the message, and the stack of the error if one is given. */
  error(message: LogMessage, error?: unknown): void;
}
