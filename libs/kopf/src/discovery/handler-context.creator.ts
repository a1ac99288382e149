import { Inject, Injectable } from '@nestjs/common';
import { ExternalContextCreator, ModulesContainer } from '@nestjs/core';
import type { HandlerFunction } from '../registry/handler.js';
import { contextsFor, findEnhancers } from './nest.internals.js';

/** Names the result of `ExecutionContext.getType()` in guards, interceptors, and filters of handlers. */
export const KOPF_CONTEXT_TYPE = 'kopf';

type Methods = Record<string, (...args: unknown[]) => unknown>;

/**
 * Makes functions of handler methods, through which `HandlerInvoker` calls them.
 *
 * A method goes through Nest's guards, interceptors, and filters if it or its class has any. Global ones of the application
 * alone do not bring it there: they are made for requests, and would refuse or break handlers that have none.
 */
@Injectable()
export class HandlerContextCreator {
  constructor(
    @Inject(ExternalContextCreator) private readonly contexts: ExternalContextCreator,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {}

  /** Makes the function of a method of a provider or a controller. */
  create(instance: object, methodName: string): HandlerFunction {
    const methods = instance as Methods;
    const options = findEnhancers(instance, methods[methodName]);
    if (!options.guards && !options.interceptors && !options.filters) return (context) => methods[methodName](context);
    return contextsFor(instance, this.contexts, this.modules).create(
      methods,
      methods[methodName],
      methodName,
      undefined,
      undefined,
      undefined,
      undefined,
      options,
      KOPF_CONTEXT_TYPE,
    );
  }
}
