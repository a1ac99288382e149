import { Logger } from '@nestjs/common';
import type { KopfLogger, LogFields, LogMessage } from './kopf.logger.js';
import { DEFAULT_LOG_STYLE, LogFormats, type LogStyle } from './log.formats.js';
import { cutLine, escapeControls } from 'kube-common';

/** The output of all loggers of an operator: Nest's loggers by their contexts, and the format of the lines. */
class NestOutput {
  readonly formats: LogFormats;
  private readonly loggers = new Map<string, Logger>();

  constructor(style: LogStyle) {
    this.formats = new LogFormats(style);
  }

  loggerOf(context: string): Logger {
    const known = this.loggers.get(context);
    if (known) return known;
    const logger = new Logger(context);
    this.loggers.set(context, logger);
    return logger;
  }
}

/** The options of a {@link NestLogger}. */
export interface NestLoggerOptions {
  /** @default lines for people, or with fields where the application's logger writes JSON */
  readonly style?: LogStyle;
  /** The fields that all lines have. @default none */
  readonly fields?: LogFields;
}

/**
 * A logger that writes through Nest's logger, also a custom one of the application. Messages of disabled levels are not even built.
 *
 * Each message is one line: line breaks and other control characters in it are escaped, as names and texts can come from any user of the
 * cluster. Long messages are cut.
 */
export class NestLogger implements KopfLogger {
  private readonly fields: LogFields;
  /** Private, so that it is not printed with an object that has a logger: it leads to the application's logger and everything in it. */
  readonly #output: NestOutput;
  readonly #parent?: NestLogger;

  /** @param options the options, or the logger whose child it is. */
  constructor(
    private readonly context: string,
    options: NestLoggerOptions | NestLogger = {},
    fields?: LogFields,
  ) {
    if (options instanceof NestLogger) {
      this.#parent = options;
      this.#output = options.#output;
      this.fields = fields ?? {};
    } else {
      this.#output = new NestOutput(options.style ?? DEFAULT_LOG_STYLE);
      this.fields = options.fields ?? {};
    }
  }

  verbose(message: LogMessage): void {
    if (this.#output.formats.isEnabled('verbose')) this.write('verbose', message);
  }

  debug(message: LogMessage): void {
    if (this.#output.formats.isEnabled('debug')) this.write('debug', message);
  }

  log(message: LogMessage): void {
    if (this.#output.formats.isEnabled('log')) this.write('log', message);
  }

  warn(message: LogMessage): void {
    if (this.#output.formats.isEnabled('warn')) this.write('warn', message);
  }

  error(message: LogMessage, error?: unknown): void {
    if (this.#output.formats.isEnabled('error')) this.write('error', message, error);
  }

  child(fields: LogFields, context = this.context): NestLogger {
    return new NestLogger(context, this, fields);
  }

  private write(level: 'verbose' | 'debug' | 'log' | 'warn' | 'error', message: LogMessage, error?: unknown): void {
    const text = escapeControls(cutLine(typeof message === 'function' ? message() : message));
    const [first, ...rest] = this.#output.formats.format(text, this.collect(), error);
    this.#output.loggerOf(this.context)[level](first, ...rest);
  }

  private collect(): LogFields {
    return this.#parent ? { ...this.#parent.collect(), ...this.fields } : this.fields;
  }
}
