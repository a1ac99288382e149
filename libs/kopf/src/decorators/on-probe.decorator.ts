import type { ActivityOptions } from './handler-options.interface.js';
import { addHandlerMetadata } from './handler.metadata.js';

/**
 * Calls the method when somebody asks how the operator is; what it returns is shown in the health report under its id, and
 * an error makes the operator count as not alive. The report is served by `nestjs-kopf/health`.
 *
 * One call has a limited time, and is made once: retries happen only with `errors: 'temporary'` or a `TemporaryError`, and
 * only as far as they fit in the limit. The option `timeout` is this limit in seconds.
 *
 * @example
 * @OnProbe()
 * volumes({ indices }: ActivityContext) {
 *   return indices.volumesByClass.size;
 * }
 */
export function OnProbe(options: ActivityOptions = {}): MethodDecorator {
  return addHandlerMetadata({ kind: 'probe', decorator: '@OnProbe', options: { ...options } });
}
