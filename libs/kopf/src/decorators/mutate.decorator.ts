import type { MutateOptions } from './handler-options.interface.js';
import { resourceHandler, type ResourceHandlerArgs } from './resource-handler.decorator.js';

/**
 * Has the API server ask the method about objects before they are created or changed: what it writes into `patch` is changed in
 * the object, and what it throws refuses the request. It can be asked again about its own result, which it must leave as it is.
 * The method gets an {@link AdmissionContext}.
 *
 * @example
 * @Mutate('ephemeralvolumeclaims.kopf.dev')
 * setDefaults({ spec, patch }: AdmissionContext<ClaimSpec>) {
 *   if (!spec.size) patch.spec.size = '1G';
 * }
 */
export function Mutate(...args: ResourceHandlerArgs<MutateOptions>): MethodDecorator {
  return resourceHandler('mutate', '@Mutate', args);
}
