import type { LoggerService } from '@nestjs/common';

export { LogRecorder as MemoryLogger } from '../../../libs/kopf/src/testing/records/log.recorder.js';

/** Prints nothing: for tests whose operators fail on purpose. */
export class SilentLogger implements LoggerService {
  log(): void {}
  error(): void {}
  warn(): void {}
}
