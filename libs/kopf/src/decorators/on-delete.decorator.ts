import type { DeleteOptions } from './handler-options.interface.js';
import { resourceHandler, type ResourceHandlerArgs } from './resource-handler.decorator.js';

/**
 * Calls the method when an object is being deleted. The object stays, held by a finalizer, until the method succeeds
 * or fails for good.
 *
 * @example
 * @OnDelete('ephemeralvolumeclaims.kopf.dev')
 * async release({ name }: ChangeContext<ClaimSpec>) {}
 */
export function OnDelete(...args: ResourceHandlerArgs<DeleteOptions>): MethodDecorator {
  return resourceHandler('delete', '@OnDelete', args);
}
