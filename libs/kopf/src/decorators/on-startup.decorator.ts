import type { ActivityOptions } from './handler-options.interface.js';
import { addHandlerMetadata } from './handler.metadata.js';

/**
 * Calls the method before the operator does anything else; no request is made until it has succeeded.
 * If it fails for good, the operator does not start. Settings can be changed in it.
 *
 * @example
 * @OnStartup()
 * configure({ settings }: ActivityContext) {
 *   settings.posting.enabled = false;
 * }
 */
export function OnStartup(options: ActivityOptions = {}): MethodDecorator {
  return addHandlerMetadata({ kind: 'startup', decorator: '@OnStartup', options: { ...options } });
}
