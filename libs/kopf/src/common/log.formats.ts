import { ConsoleLogger, Logger, type LoggerService, type LogLevel } from '@nestjs/common';
import { type LogFields, prefixOf } from './kopf.logger.js';
import { cutLine, errorStack, errorText, escapeControls } from 'kube-common';

/** A way in which loggers take the fields of a line; `text` is without fields. */
export type LogFormat = 'text' | 'params' | 'message' | 'pino';

export const LOG_FORMATS: readonly LogFormat[] = ['text', 'params', 'message', 'pino'];

/** Says how lines look; each member is read for each line. The group `logging` of the settings is one. */
export interface LogStyle {
  readonly format: LogFormat | 'auto';
  /** `null`: in text, but not beside fields. */
  readonly prefix: boolean | null;
  /** The name of the object's reference among the fields. */
  readonly refKey: string;
}

export const DEFAULT_LOG_STYLE: LogStyle = { format: 'auto', prefix: null, refKey: 'object' };

/** The logger of nestjs-pino, as far as it is used: it keeps pino's behind another one. */
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

/** Finds out which levels the application's logger writes, and how it takes fields, and makes its arguments. */
export class LogFormats {
  private target?: LoggerService;
  private found: LogFormat = 'text';

  constructor(private readonly style: LogStyle) {}

  isEnabled(level: LogLevel): boolean {
    return NestTarget.isEnabled(level);
  }

  /** Makes the arguments of Nest's logger, without the context. */
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
    return [error === undefined ? members : { ...members, err: describeError(error, stack[0]) }, message];
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

/** Opens the members that Nest protects: the logger that the lines go to, and whether levels were set. */
abstract class NestTarget extends Logger {
  static get current(): LoggerService | undefined {
    return this.staticInstanceRef;
  }

  /** Nest 11 says of each level that it is disabled until the application sets some, though it writes them all. */
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

/** Nest 12 makes members of the line of what comes after the message; Nest 11 makes another line of it, so it is put into the message. */
function findConsoleFormat(target: ConsoleLogger): LogFormat {
  const { options } = target as unknown as { readonly options?: { json?: boolean; structuredParams?: boolean } };
  if (!options?.json) return 'text';
  return options.structuredParams !== false && new ParamsProbe().takesParams ? 'params' : 'message';
}

/** Asks Nest's own logger what it makes of an object after the message. */
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

/** An error as pino's serializer takes it, which would write all members of the error itself. */
function describeError(error: unknown, stack: string): object {
  const name = error instanceof Error ? error.name : typeof error;
  return Object.assign(Object.create(null) as object, {
    name,
    message: escapeControls(cutLine(errorText(error))),
    stack,
  });
}
