import type { ResumeOptions } from './handler-options.interface.js';
import { resourceHandler, type ResourceHandlerArgs } from './resource-handler.decorator.js';

/**
 * Calls the method once for every object that the operator finds when it starts and that was handled before.
 * Usually stacked on `@OnCreate`, to restore what is kept in memory.
 *
 * @example
 * @OnResume('ephemeralvolumeclaims.kopf.dev')
 * @OnCreate('ephemeralvolumeclaims.kopf.dev')
 * async track({ uid, memo }: ChangeContext<ClaimSpec>) {}
 */
export function OnResume(...args: ResourceHandlerArgs<ResumeOptions>): MethodDecorator {
  return resourceHandler('resume', '@OnResume', args);
}
