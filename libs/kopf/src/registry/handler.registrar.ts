import type { HandlerDecorator } from '../decorators/handler.decorators.js';
import type { HandlerDescription } from './handler.js';

/** Handlers that were added while the application runs. */
export interface HandlerRegistration {
  /** Describes the handlers. */
  readonly handlers: readonly HandlerDescription[];
  /**
   * Removes the handlers: they are not called any more, but for calls in progress. Their daemons and timers are asked to stop, watches that
   * nothing else needs end, and finalizers are taken off that nothing else needs. Harmless if it was called before.
   */
  remove(): void;
}

/** Makes handlers of what the application adds while it runs. It is implemented in discovery/. */
export interface HandlerRegistrar {
  /** @throws KopfBootstrapError that names every error of the handlers. */
  register(instance: object): HandlerRegistration;

  /** @throws KopfBootstrapError that names every error of the handler. */
  registerFunction(decorator: HandlerDecorator<any>, handler: (context: any) => unknown): HandlerRegistration;
}
