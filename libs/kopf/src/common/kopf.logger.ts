/** Levels of log lines, from the least to the most important; `verbose` is below them, and is not for handlers. */
export type LogLevel = 'debug' | 'log' | 'warn' | 'error';

/** A message, or a function that makes it when the level is enabled. */
export type LogMessage = string | (() => string);

/** Identifies the object that log lines are about. Members that the object does not have are absent. */
export interface LoggedObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** Says what log lines are about, for those who search them: loggers that write JSON make members of the line of it. */
export interface LogFields {
  /** The object; the setting `logging.refKey` gives it another name in the line. */
  readonly object?: LoggedObject;
  /** The resource of the object, as kubectl writes it: `deployments.v1.apps`. */
  readonly resource?: string;
  /** The id of the handler. */
  readonly handler?: string;
  /** Counts the attempts of the handler, from 1. */
  readonly attempt?: number;
  /** Why the handler is called: `create`, `update`, `delete`, `resume`, `event`, `index`, `daemon`, `timer`, `validate`, `startup`, …. */
  readonly cause?: string;
  /** The name of the operator. */
  readonly operator?: string;
}

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
  /**
   * A logger whose lines are about something. For loggers without this method, the object is put in front of each message.
   *
   * @param context names the class that the lines are of, as for Nest's logger. @default that of this logger
   */
  child?(fields: LogFields, context?: string): KopfLogger;
}

/** A logger whose lines are about something: by fields, or, where the logger has none, with the object in front of each message. */
export function withFields(logger: KopfLogger, fields: LogFields, context?: string): KopfLogger {
  if (logger.child) return logger.child(fields, context);
  return fields.object ? new PrefixedLogger(logger, prefixOf(fields.object)) : logger;
}

/** The beginning of a message about an object: `[namespace/name] `. */
export function prefixOf({ namespace, name }: LoggedObject): string {
  return `[${namespace === undefined ? '' : `${namespace}/`}${name ?? ''}] `;
}

/** Puts the object in front of each message. */
class PrefixedLogger implements KopfLogger {
  constructor(
    private readonly sink: KopfLogger,
    private readonly prefix: string,
  ) {}

  verbose(message: LogMessage): void {
    this.sink.verbose?.(this.prefixed(message));
  }

  debug(message: LogMessage): void {
    this.sink.debug(this.prefixed(message));
  }

  log(message: LogMessage): void {
    this.sink.log(this.prefixed(message));
  }

  warn(message: LogMessage): void {
    this.sink.warn(this.prefixed(message));
  }

  error(message: LogMessage, error?: unknown): void {
    this.sink.error(this.prefixed(message), error);
  }

  private prefixed(message: LogMessage): LogMessage {
    return typeof message === 'function' ? () => this.prefix + message() : this.prefix + message;
  }
}

/** Drops everything, and makes none of the messages: for operators whose log nobody reads. */
export class SilentLogger implements KopfLogger {
  verbose(): void {}

  debug(): void {}

  log(): void {}

  warn(): void {}

  error(): void {}

  child(): KopfLogger {
    return this;
  }
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

  child(fields: LogFields, context?: string): KopfLogger {
    return new LevelFilteredLogger(withFields(this.sink, fields, context));
  }
}
