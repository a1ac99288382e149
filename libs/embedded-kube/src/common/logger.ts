/** A receiver of messages for the server's user. Nest's loggers fit. */
export interface Logger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** A logger that writes warnings and errors to stderr. */
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
