import type { AdmissionContext } from '../contexts/contexts.interface.js';
import type { ValidateOptions, MutateOptions } from './handler-options.js';
import { resourceDecorator } from './handler.metadata.js';

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
export const Validate = resourceDecorator<ValidateOptions, AdmissionContext>('validate', '@Validate');

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
export const Mutate = resourceDecorator<MutateOptions, AdmissionContext>('mutate', '@Mutate');
