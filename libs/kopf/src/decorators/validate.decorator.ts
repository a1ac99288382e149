import type { ValidateOptions } from './handler-options.interface.js';
import { resourceHandler, type ResourceHandlerArgs } from './resource-handler.decorator.js';

/**
 * Has the API server ask the method about objects before they are created, changed, or deleted: what it throws refuses the request,
 * and what it adds to `warnings` is shown to the user. The method gets an {@link AdmissionContext}.
 *
 * @example
 * @Validate('ephemeralvolumeclaims.kopf.dev', { operations: ['CREATE', 'UPDATE'] })
 * checkSize({ spec, warnings }: AdmissionContext<ClaimSpec>) {
 *   if (!spec.size) throw new AdmissionError('The size must be set.', 422);
 *   if (spec.size === '1G') warnings.push('That is a small one.');
 * }
 */
export function Validate(...args: ResourceHandlerArgs<ValidateOptions>): MethodDecorator {
  return resourceHandler('validate', '@Validate', args);
}
