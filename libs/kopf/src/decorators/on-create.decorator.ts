import type { CreateOptions } from './handler-options.interface.js';
import { resourceHandler, type ResourceHandlerArgs } from './resource-handler.decorator.js';

/**
 * Calls the method once for every object that was never handled before: new ones, and those from before the operator.
 * The result, if any, is stored in `status.{id}`. The method gets a {@link ChangeContext}.
 *
 * @example
 * @OnCreate('ephemeralvolumeclaims.kopf.dev', { retries: 5, backoff: 10 })
 * async create({ spec, name, logger }: ChangeContext<ClaimSpec>) {
 *   logger.log(`${name} wants ${spec.size}`);
 * }
 */
export function OnCreate(...args: ResourceHandlerArgs<CreateOptions>): MethodDecorator {
  return resourceHandler('create', '@OnCreate', args);
}
