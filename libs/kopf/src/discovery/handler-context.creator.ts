import { Inject, Injectable } from '@nestjs/common';
import { EXCEPTION_FILTERS_METADATA, GUARDS_METADATA, INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { ExternalContextCreator, ModulesContainer } from '@nestjs/core';
import type { HandlerFunction } from '../registry/handler.js';

/** Names the result of `ExecutionContext.getType()` in guards, interceptors, and filters of handlers. */
export const KOPF_CONTEXT_TYPE = 'kopf';

type Methods = Record<string, (...args: unknown[]) => unknown>;

/**
 * Makes functions of handler methods, through which `HandlerInvoker` calls them. The only place that knows Nest's internals.
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
    const has = (key: string): boolean =>
      Reflect.hasMetadata(key, methods[methodName]) || Reflect.hasMetadata(key, instance.constructor);
    const options = {
      guards: has(GUARDS_METADATA),
      interceptors: has(INTERCEPTORS_METADATA),
      filters: has(EXCEPTION_FILTERS_METADATA),
    };
    if (!options.guards && !options.interceptors && !options.filters) return (context) => methods[methodName](context);
    return this.contextsOf(instance).create(
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

  /**
   * Returns the creator of contexts for an instance. Nest's own one looks for the module of an instance among providers only;
   * for a controller
   * it would find none, and leave out guards without a word.
   */
  private contextsOf(instance: object): ExternalContextCreator {
    for (const [key, { controllers }] of this.modules) {
      if (![...controllers.values()].some((wrapper) => wrapper.instance === instance)) continue;
      return Object.create(this.contexts, { getHostModuleKey: { value: () => key } }) as ExternalContextCreator;
    }
    return this.contexts;
  }
}
