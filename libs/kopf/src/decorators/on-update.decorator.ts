import type { UpdateOptions } from './handler-options.interface.js';
import { resourceHandler, type ResourceHandlerArgs } from './resource-handler.decorator.js';

/**
 * Calls the method when the essence of an object has changed: anything but the status and the system's metadata.
 * With a `field`, only when this field has changed; then `old`, `new`, and `diff` are of the field.
 *
 * @example
 * @OnUpdate('ephemeralvolumeclaims.kopf.dev', { field: 'spec.size', new: PRESENT })
 * async resize({ old, new: size }: ChangeContext<ClaimSpec>) {}
 */
export function OnUpdate(...args: ResourceHandlerArgs<UpdateOptions>): MethodDecorator {
  return resourceHandler('update', '@OnUpdate', args);
}
