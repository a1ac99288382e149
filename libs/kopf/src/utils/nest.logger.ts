import { Logger } from '@nestjs/common';
import type { KopfLogger, LogLevel, LogMessage } from '../interfaces/logger.interface.js';
import { cutLine } from './cut-text.js';
import { errorStack } from './error-text.js';

/** Writes through Nest's logger, whatever the application has made of it. Messages of disabled levels are not even built, long ones are cut. */
export class NestLogger implements KopfLogger {
  private readonly logger: Logger;

  constructor(context: string) {
    this.logger = new Logger(context);
  }

  debug(message: LogMessage): void {
    if (isEnabled('debug')) this.logger.debug(build(message));
  }

  log(message: LogMessage): void {
    if (isEnabled('log')) this.logger.log(build(message));
  }

  warn(message: LogMessage): void {
    if (isEnabled('warn')) this.logger.warn(build(message));
  }

  error(message: LogMessage, error?: unknown): void {
    if (!isEnabled('error')) return;
    if (error === undefined) this.logger.error(build(message));
    else this.logger.error(build(message), errorStack(error));
  }
}

function isEnabled(level: LogLevel): boolean {
  return Logger.isLevelEnabled(level);
}

function build(message: LogMessage): string {
  return cutLine(typeof message === 'function' ? message() : message);
}
