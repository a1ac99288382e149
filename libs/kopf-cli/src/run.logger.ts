import { ConsoleLogger, type LoggerService, type LogLevel } from '@nestjs/common';
import type { CliEnvironment } from './cli.environment.js';
import type { CliLogOptions } from './cli.logger.js';

const LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'];

/** The levels that the options ask for; without any, those that Kopf shows: no details. */
export function levelsOf({ quiet, verbose, debug }: CliLogOptions): LogLevel[] {
  const most: LogLevel = debug ? 'verbose' : verbose ? 'debug' : quiet ? 'warn' : 'log';
  return LEVELS.slice(0, LEVELS.indexOf(most) + 1);
}

/** Makes the logger of an application that a command runs: Nest's own for `full` and `json`. */
export function createRunLogger(options: CliLogOptions, environment: CliEnvironment): LoggerService {
  const logLevels = levelsOf(options);
  if (options.logFormat === 'json') return new ConsoleLogger({ json: true, colors: false, logLevels });
  if (options.logFormat === 'plain') return new PlainLogger(logLevels, environment);
  const { stdout, variables } = environment;
  return new ConsoleLogger({ colors: Boolean(stdout.isTTY) && !variables.NO_COLOR, logLevels });
}

/** The logger that writes texts only, as `--log-format plain` of Kopf does. */
class PlainLogger implements LoggerService {
  constructor(
    private readonly levels: readonly LogLevel[],
    private readonly environment: Pick<CliEnvironment, 'stdout'>,
  ) {}

  fatal(message: unknown): void {
    this.write('fatal', message);
  }

  /** The stack of an error comes after the message. */
  error(message: unknown, stack?: unknown): void {
    const isStack = typeof stack === 'string' && /\n {4}at /.test(stack);
    this.write('error', isStack ? `${String(message)}\n${stack}` : message);
  }

  warn(message: unknown): void {
    this.write('warn', message);
  }

  log(message: unknown): void {
    this.write('log', message);
  }

  debug(message: unknown): void {
    this.write('debug', message);
  }

  verbose(message: unknown): void {
    this.write('verbose', message);
  }

  private write(level: LogLevel, message: unknown): void {
    if (this.levels.includes(level)) this.environment.stdout.write(`${String(message)}\n`);
  }
}
