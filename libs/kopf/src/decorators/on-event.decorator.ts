import type { EventOptions } from './handler-options.interface.js';
import { resourceHandler, type ResourceHandlerArgs } from './resource-handler.decorator.js';

/**
 * Calls the method for every event of the objects as it comes, without any state: no retries, errors are only logged.
 * The object gets no annotations for such handlers. The method gets an {@link EventContext}.
 *
 * @example
 * @OnEvent('pods', { labels: { app: PRESENT } })
 * seen({ type, name }: EventContext) {}
 */
export function OnEvent(...args: ResourceHandlerArgs<EventOptions>): MethodDecorator {
  return resourceHandler('event', '@OnEvent', args);
}
