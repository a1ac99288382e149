import { ConsoleLogger, Logger, type LoggerService, type LogLevel } from '@nestjs/common';
import { type LogFields, prefixOf } from './kopf.logger.js';
import { cutLine, errorStack, errorText, escapeControls } from 'kube-common';

/** The form in which loggers take the fields of a line; `text` has no fields. */
export type LogFormat = 'text' | 'params' | 'message' | 'pino';

export const LOG_FORMATS: readonly LogFormat[] = ['text', 'params', 'message', 'pino'];

/** The style of lines; each member is read for each line. The group `logging` of the settings is one. */
export interface LogStyle {
  readonly format: LogFormat | 'auto';
  /** Whether the object is in front of the message; `null`: in text, but not if there are fields. */
  readonly prefix: boolean | null;
  /** The name of the object's reference among the fields. */
  readonly refKey: string;
}

export const DEFAULT_LOG_STYLE: LogStyle = { format: 'auto', prefix: null, refKey: 'object' };

/** The logger of nestjs-pino, as far as it is used here: pino's logger is behind it. */
interface PinoService extends LoggerService {
  readonly contextName: string;
  readonly logger: { readonly logger: { isLevelEnabled(level: string): boolean } };
}

const PINO_LEVELS: Readonly<Record<LogLevel, string>> = {
  verbose: 'trace',
  debug: 'debug',
  log: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'fatal',
};

/** The levels and the format of the application's logger, and the arguments for it. */
export class LogFormats {
  private target?: LoggerService;
  private found: LogFormat = 'text';

  constructor(private readonly style: LogStyle) {}

  isEnabled(level: LogLevel): boolean {
    return NestTarget.isEnabled(level);
  }

  /** Formats a line as the arguments of Nest's logger, without the context. */
  format(text: string, fields: LogFields, error: unknown): [message: unknown, ...params: unknown[]] {
    const { prefix, refKey } = this.style;
    const format = this.current;
    const isPrefixed = prefix ?? format === 'text';
    const message = isPrefixed && fields.object ? cutLine(escapeControls(prefixOf(fields.object)) + text) : text;
    const stack = error === undefined ? [] : [errorStack(error)];
    if (format === 'text') return [message, ...stack];
    const members = nameFields(fields, refKey);
    if (format === 'params') return [message, ...stack, members];
    if (format === 'message') return [{ message, ...members }, ...stack];
    return [error === undefined ? members : { ...members, err: toSerializableError(error, stack[0]) }, message];
  }

  private get current(): LogFormat {
    if (this.style.format !== 'auto') return this.style.format;
    const target = NestTarget.current;
    if (target !== this.target) {
      this.target = target;
      this.found = findFormat(target);
    }
    return this.found;
  }
}

/** The members that Nest protects: the target of the lines, and whether levels were set. */
abstract class NestTarget extends Logger {
  static get current(): LoggerService | undefined {
    return this.staticInstanceRef;
  }

  /**
   * Checks whether a level is enabled. Nest 11 reports each level as disabled until the application sets some, though it writes all of
   * them.
   */
  static isEnabled(level: LogLevel): boolean {
    const target = this.staticInstanceRef;
    if (!target) return false;
    if (target instanceof ConsoleLogger) return target.isLevelEnabled(level);
    if (isPino(target) && !target.logger.logger.isLevelEnabled(PINO_LEVELS[level])) return false;
    return this.logLevels === undefined || Logger.isLevelEnabled(level);
  }
}

function findFormat(target: LoggerService | undefined): LogFormat {
  if (target instanceof ConsoleLogger) return findConsoleFormat(target);
  return target && isPino(target) ? 'pino' : 'text';
}

/**
 * Finds the format of Nest's console logger: Nest 12 adds the objects after the message to the line; Nest 11 makes another line of them, so
 * they are put into the message.
 */
function findConsoleFormat(target: ConsoleLogger): LogFormat {
  const { options } = target as unknown as { readonly options?: { json?: boolean; structuredParams?: boolean } };
  if (!options?.json) return 'text';
  return options.structuredParams !== false && new ParamsProbe().takesParams ? 'params' : 'message';
}

/** A probe of what Nest's logger makes of an object after the message. */
class ParamsProbe extends ConsoleLogger {
  private count = 0;

  constructor() {
    super({ json: true, logLevels: ['log'] });
  }

  get takesParams(): boolean {
    this.log('', {}, '');
    return this.count === 1;
  }

  protected override printMessages(messages: unknown[]): void {
    this.count = messages.length;
  }
}

function isPino(target: object): target is PinoService {
  const { contextName, logger } = target as Partial<PinoService>;
  return typeof contextName === 'string' && typeof logger?.logger?.isLevelEnabled === 'function';
}

function nameFields({ object, ...others }: LogFields, refKey: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  if (object) fields[refKey] = object;
  for (const [key, value] of Object.entries(others)) if (value !== undefined) fields[key] = value;
  return fields;
}

/** Converts an error for pino's serializer, which would write all members of the error itself. */
function toSerializableError(error: unknown, stack: string): object {
  const name = error instanceof Error ? error.name : typeof error;
  return Object.assign(Object.create(null) as object, {
    name,
    message: escapeControls(cutLine(errorText(error))),
    stack,
  });
}
