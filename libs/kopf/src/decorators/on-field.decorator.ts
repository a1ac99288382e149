import type { FieldOptions } from './handler-options.interface.js';
import { resourceHandler, type ResourceHandlerArgs } from './resource-handler.decorator.js';

/**
 * Calls the method when the field appears, changes, or goes; for a new object, if the field is there.
 * `old`, `new`, and `diff` are of the field, and the field's path is a part of the handler's id.
 *
 * @example
 * @OnField('ephemeralvolumeclaims.kopf.dev', { field: 'metadata.labels' })
 * async relabel({ diff }: ChangeContext<ClaimSpec>) {
 *   for (const [operation, [label], , value] of diff) {}
 * }
 */
export function OnField(...args: ResourceHandlerArgs<FieldOptions>): MethodDecorator {
  return resourceHandler('field', '@OnField', args);
}
