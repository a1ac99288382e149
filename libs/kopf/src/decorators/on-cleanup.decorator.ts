import type { ActivityOptions } from './handler-options.interface.js';
import { addHandlerMetadata } from './handler.metadata.js';

/**
 * Calls the method after the operator has stopped handling objects, while the connections are still open.
 *
 * @example
 * @OnCleanup()
 * async close({ logger }: ActivityContext) {}
 */
export function OnCleanup(options: ActivityOptions = {}): MethodDecorator {
  return addHandlerMetadata({ kind: 'cleanup', decorator: '@OnCleanup', options: { ...options } });
}
