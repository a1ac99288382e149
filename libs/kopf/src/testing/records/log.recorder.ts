import { prefixOf, type KopfLogger, type LogFields, type LogLevel, type LogMessage } from '../../common/kopf.logger.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { isSameObject } from './event.recorder.js';

/** One log line. */
export interface LogLine {
  readonly level: LogLevel;
  /** The message, with the object in front of it as in text logs: `[namespace/name] …`. */
  readonly message: string;
  /** The error that was logged with the message. */
  readonly error?: unknown;
  /** The fields of the line, as loggers that write JSON have them: the object, the handler, the attempt. */
  readonly fields: LogFields;
}

/**
 * The logger that keeps log lines for tests to look at, instead of printing them.
 *
 * @example
 * expect(test.logs.messages('warn', 'error')).toEqual([]);
 */
export class LogRecorder implements KopfLogger {
  readonly lines: LogLine[];
  /** The messages below all levels, which can hold values of objects: bodies, diffs, and patches. */
  readonly verboseMessages: string[];
  private readonly fields: LogFields;

  /** @internal */
  constructor(parent?: LogRecorder, fields: LogFields = {}) {
    this.lines = parent?.lines ?? [];
    this.verboseMessages = parent?.verboseMessages ?? [];
    this.fields = { ...parent?.fields, ...fields };
  }

  /** The messages of the given levels; without any, those of all levels but `verbose`. */
  messages(...levels: LogLevel[]): string[] {
    return this.lines.filter((line) => !levels.length || levels.includes(line.level)).map((line) => line.message);
  }

  /** The lines about an object. */
  of({ metadata }: Pick<KubeObject, 'metadata'>): LogLine[] {
    return this.lines.filter(({ fields }) => fields.object && isSameObject(fields.object, metadata));
  }

  verbose(message: LogMessage): void {
    this.verboseMessages.push(this.textOf(message));
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

  /** A logger whose lines come among these, with further fields. */
  child(fields: LogFields): KopfLogger {
    return new LogRecorder(this, fields);
  }

  private add(level: LogLevel, message: LogMessage, error?: unknown): void {
    this.lines.push({ level, message: this.textOf(message), error, fields: this.fields });
  }

  private textOf(message: LogMessage): string {
    const { object } = this.fields;
    return (object ? prefixOf(object) : '') + (typeof message === 'function' ? message() : message);
  }
}
