import type { TimerOptions } from './handler-options.interface.js';
import { resourceHandler, type ResourceHandlerArgs } from './resource-handler.decorator.js';

/**
 * Calls the method for every object on a schedule, as long as the object exists and matches. Invocations for one object never
 * overlap; errors bring their own delays; a timer that fails for good ends. The method gets a {@link TimerContext}.
 *
 * @example
 * @Timer('ephemeralvolumeclaims.kopf.dev', { interval: 10, idle: 600 })
 * async ping({ name, patch }: TimerContext<ClaimSpec>) {
 *   patch.status.pinged = name;
 * }
 */
export function Timer(...args: ResourceHandlerArgs<TimerOptions>): MethodDecorator {
  return resourceHandler('timer', '@Timer', args);
}
