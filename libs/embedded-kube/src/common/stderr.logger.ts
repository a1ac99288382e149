import type { Logger } from './logger.js';

/** Writes warnings and errors to stderr. */
export class StderrLogger implements Logger {
  debug(): void {}

  log(): void {}

  warn(message: string): void {
    process.stderr.write(`embedded-kube: ${message}\n`);
  }

  error(message: string): void {
    process.stderr.write(`embedded-kube: ${message}\n`);
  }
}
