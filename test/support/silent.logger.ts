import type { LoggerService } from '@nestjs/common';

/** Prints nothing: for tests whose operators fail on purpose. */
export class SilentLogger implements LoggerService {
  log(): void {}
  error(): void {}
  warn(): void {}
}
