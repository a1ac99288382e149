import type { ErrorHandler } from '../contexts/change-options.js';

/** The key of the error handler on a class of handlers. */
const ON_ERROR_METADATA = 'nestjs-kopf:on-error';

/**
 * Sets the function, or the method of the class, that decides on the errors of all handlers of a class. The option `onError` of a handler
 * has priority.
 *
 * @example
 * @Injectable()
 * @OnError('translate')
 * export class ClaimOperator {
 *   @OnCreate('ephemeralvolumeclaims.kopf.dev')
 *   async create({ spec }: ChangeContext) {}
 *
 *   translate(error: unknown, { name }: ObjectContext) {
 *     if (error instanceof QuotaError) return new TemporaryError(`There is no room for ${name}.`, { delay: 600 });
 *   }
 * }
 *
 * @param handler a function, or the name of a method.
 */
export function OnError(handler: ErrorHandler | string): ClassDecorator {
  return (target) => Reflect.defineMetadata(ON_ERROR_METADATA, handler, target);
}

/** Reads the error handler on a class, or on a base class. */
export function errorHandlerOf(type: unknown): ErrorHandler | string | undefined {
  if (typeof type !== 'function') return undefined;
  return Reflect.getMetadata(ON_ERROR_METADATA, type) as ErrorHandler | string | undefined;
}
