import type { AdmissionContext } from '../contexts/contexts.interface.js';
import type { ValidateOptions, MutateOptions } from './handler-options.js';
import { resourceDecorator } from './handler.metadata.js';

/**
 * Calls the method for the API server before objects are created, changed, or deleted: an error rejects the request, and texts added to
 * `warnings` are shown to the user. The method gets an {@link AdmissionContext}.
 *
 * @example
 * @Validate('ephemeralvolumeclaims.kopf.dev', { operations: ['CREATE', 'UPDATE'] })
 * checkSize({ spec, warnings }: AdmissionContext<ClaimSpec>) {
 *   if (!spec.size) throw new AdmissionError('The size must be set.', 422);
 *   if (spec.size === '1G') warnings.push('That is a small one.');
 * }
 */
export const Validate = resourceDecorator<ValidateOptions, AdmissionContext>('validate', '@Validate');

/**
 * Calls the method for the API server before objects are created or changed: the changes in `patch` are applied to the object, and an error
 * rejects the request. It can be called again with its own result, which it must not change further. The method gets an {@link
 * AdmissionContext}.
 *
 * @example
 * @Mutate('ephemeralvolumeclaims.kopf.dev')
 * setDefaults({ spec, patch }: AdmissionContext<ClaimSpec>) {
 *   if (!spec.size) patch.spec.size = '1G';
 * }
 */
export const Mutate = resourceDecorator<MutateOptions, AdmissionContext>('mutate', '@Mutate');
