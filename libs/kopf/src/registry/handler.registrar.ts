import type { HandlerDecorator } from '../decorators/handler.decorators.js';
import type { HandlerDescription } from './handler.js';

/** Handlers that were added while the application runs. */
export interface HandlerRegistration {
  /** The descriptions of the handlers. */
  readonly handlers: readonly HandlerDescription[];
  /**
   * Removes the handlers: they are not called any more; calls in progress are completed. Their daemons and timers are asked to stop;
   * watches and finalizers that no other handler needs are removed. Can be called more than once.
   */
  remove(): void;
}

/** The maker of handlers that the application adds while it runs; implemented in discovery/. */
export interface HandlerRegistrar {
  /** @throws KopfBootstrapError that names every error of the handlers. */
  register(instance: object): HandlerRegistration;

  /** @throws KopfBootstrapError that names every error of the handler. */
  registerFunction(decorator: HandlerDecorator<any>, handler: (context: any) => unknown): HandlerRegistration;
}
