import { ConsoleLogger, Logger, type LogLevel } from '@nestjs/common';
import type { KopfLogger, LogMessage } from './kopf.logger.js';
import { cutLine, errorStack, escapeControls } from './texts.js';

/**
 * Writes through Nest's logger, whatever the application has made of it. Messages of disabled levels are not even built.
 *
 * Each message is one line: line breaks and other control characters in it are escaped, as names and texts come from anywhere.
 * Long ones are cut.
 */
export class NestLogger implements KopfLogger {
  private readonly logger: Logger;

  constructor(context: string) {
    this.logger = new Logger(context);
  }

  verbose(message: LogMessage): void {
    if (NestLevels.isEnabled('verbose')) this.logger.verbose(build(message));
  }

  debug(message: LogMessage): void {
    if (NestLevels.isEnabled('debug')) this.logger.debug(build(message));
  }

  log(message: LogMessage): void {
    if (NestLevels.isEnabled('log')) this.logger.log(build(message));
  }

  warn(message: LogMessage): void {
    if (NestLevels.isEnabled('warn')) this.logger.warn(build(message));
  }

  error(message: LogMessage, error?: unknown): void {
    if (!NestLevels.isEnabled('error')) return;
    if (error === undefined) this.logger.error(build(message));
    else this.logger.error(build(message), errorStack(error));
  }
}

/** Opens the members that Nest protects: the logger that the lines go to, and whether levels were set. */
abstract class NestLevels extends Logger {
  /** Nest 11 says of each level that it is disabled until the application sets some, though it writes them all. */
  static isEnabled(level: LogLevel): boolean {
    const target = this.staticInstanceRef;
    if (!target) return false;
    if (target instanceof ConsoleLogger) return target.isLevelEnabled(level);
    return this.logLevels === undefined || Logger.isLevelEnabled(level);
  }
}

function build(message: LogMessage): string {
  return escapeControls(cutLine(typeof message === 'function' ? message() : message));
}
