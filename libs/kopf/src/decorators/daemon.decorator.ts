import type { DaemonOptions } from './handler-options.interface.js';
import { resourceHandler, type ResourceHandlerArgs } from './resource-handler.decorator.js';

/**
 * Runs the method beside every object as long as the object exists and matches, and the operator works: one run per object,
 * never two. A daemon that returns, or fails for good, is not started again until the operator restarts.
 * The object stays, held by a finalizer, until its daemons have exited. The method gets a {@link DaemonContext}.
 *
 * @example
 * @Daemon('ephemeralvolumeclaims.kopf.dev', { cancellationTimeout: 5 })
 * async monitor({ spec, stopped, logger }: DaemonContext<ClaimSpec>) {
 *   while (!(await stopped.wait(10))) logger.log(`The size is ${spec.size}.`);
 * }
 */
export function Daemon(...args: ResourceHandlerArgs<DaemonOptions>): MethodDecorator {
  return resourceHandler('daemon', '@Daemon', args);
}
