import type { ChangeContext } from '../contexts/contexts.interface.js';
import type { DeleteOptions, ResumeOptions, FieldOptions } from './handler-options.js';
import type { CreateOptions, UpdateOptions } from '../contexts/change-options.js';
import { resourceDecorator } from './handler.metadata.js';

/**
 * Calls the method once for every object that was never handled before: new objects, and objects that were there before the operator. The
 * result, if any, is stored in `status.{id}`. The method gets a {@link ChangeContext}.
 *
 * @example
 * @OnCreate('ephemeralvolumeclaims.kopf.dev', { retries: 5, backoff: 10 })
 * async create({ spec, name, logger }: ChangeContext<ClaimSpec>) {
 *   logger.log(`${name} wants ${spec.size}`);
 * }
 */
export const OnCreate = resourceDecorator<CreateOptions, ChangeContext>('create', '@OnCreate');

/**
 * Calls the method when the essence of an object has changed: anything except the status and the system's metadata. With a `field`, it is
 * called only when this field has changed; then `old`, `new`, and `diff` are those of the field.
 *
 * @example
 * @OnUpdate('ephemeralvolumeclaims.kopf.dev', { field: 'spec.size', new: PRESENT })
 * async resize({ old, new: size }: ChangeContext<ClaimSpec>) {}
 */
export const OnUpdate = resourceDecorator<UpdateOptions, ChangeContext>('update', '@OnUpdate');

/**
 * Calls the method when an object is being deleted. The object stays, held by a finalizer, until the method succeeds
 * or fails for good.
 *
 * @example
 * @OnDelete('ephemeralvolumeclaims.kopf.dev')
 * async release({ name }: ChangeContext<ClaimSpec>) {}
 */
export const OnDelete = resourceDecorator<DeleteOptions, ChangeContext>('delete', '@OnDelete');

/**
 * Calls the method once for every object that the operator finds when it starts and that was handled before.
 * Usually stacked on `@OnCreate`, to restore what is kept in memory.
 *
 * @example
 * @OnResume('ephemeralvolumeclaims.kopf.dev')
 * @OnCreate('ephemeralvolumeclaims.kopf.dev')
 * async track({ uid, memo }: ChangeContext<ClaimSpec>) {}
 */
export const OnResume = resourceDecorator<ResumeOptions, ChangeContext>('resume', '@OnResume');

/**
 * Calls the method when the field is added, changed, or removed; for a new object, if it has the field. `old`, `new`, and `diff` are those
 * of the field, and the field's path is a part of the handler's id.
 *
 * @example
 * @OnField('ephemeralvolumeclaims.kopf.dev', { field: 'metadata.labels' })
 * async relabel({ diff }: ChangeContext<ClaimSpec>) {
 *   for (const [operation, [label], , value] of diff) {}
 * }
 */
export const OnField = resourceDecorator<FieldOptions, ChangeContext>('field', '@OnField');
