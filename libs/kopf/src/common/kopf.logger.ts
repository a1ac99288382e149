/** Levels of log lines, from the least to the most important; `verbose` is below them, and is not for handlers. */
export type LogLevel = 'debug' | 'log' | 'warn' | 'error';

/** A message, or a function that builds it when the level is enabled. */
export type LogMessage = string | (() => string);

/** The object that log lines are about. Members that the object does not have are absent. */
export interface LoggedObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** The subject of log lines, for searches: loggers that write JSON add it as members of the line. */
export interface LogFields {
  /** The object; the setting `logging.refKey` gives it another name in the line. */
  readonly object?: LoggedObject;
  /** The resource of the object, as kubectl writes it: `deployments.v1.apps`. */
  readonly resource?: string;
  /** The id of the handler. */
  readonly handler?: string;
  /** The number of the attempt of the handler, from 1. */
  readonly attempt?: number;
  /**
   * The reason for the call of the handler: `create`, `update`, `delete`, `resume`, `event`, `index`, `daemon`, `timer`, `validate`,
   * `startup`, ….
   */
  readonly cause?: string;
  /** The name of the operator. */
  readonly operator?: string;
}

/** A receiver of log lines. Handlers get one for their object. The method names are Nest's; `log` is what Kopf calls `info`. */
export interface KopfLogger {
  /**
   * Logs a message that can have values of objects: bodies, diffs, patches; those of Secrets are left out. Such lines are never posted as
   * events. Loggers without this method drop them.
   */
  verbose?(message: LogMessage): void;
  debug(message: LogMessage): void;
  log(message: LogMessage): void;
  warn(message: LogMessage): void;
  /** Logs the message, and the stack of the error if one is given. */
  error(message: LogMessage, error?: unknown): void;
  /**
   * Creates a logger whose lines have the fields. For loggers without this method, the object is put in front of each message.
   *
   * @param context the name of the class that logs, as for Nest's logger. @default that of this logger
   */
  child?(fields: LogFields, context?: string): KopfLogger;
}

/** Creates a logger whose lines have the fields; if the logger has no fields, the object is put in front of each message. */
export function withFields(logger: KopfLogger, fields: LogFields, context?: string): KopfLogger {
  if (logger.child) return logger.child(fields, context);
  return fields.object ? new PrefixedLogger(logger, prefixOf(fields.object)) : logger;
}

/** Returns the beginning of a message about an object: `[namespace/name] `. */
export function prefixOf({ namespace, name }: LoggedObject): string {
  return `[${namespace === undefined ? '' : `${namespace}/`}${name ?? ''}] `;
}

/** A logger that puts the object in front of each message. */
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

/** A logger that drops all messages without building them: for operators whose log is not read. */
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

/** A logger that passes warnings and errors only. */
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

/** A logger that logs all messages at the level `debug`: for messages that were logged before and would be repeated. */
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
