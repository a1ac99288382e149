import { Inject, Injectable, Optional } from '@nestjs/common';
import { ApplicationConfig, ExternalContextCreator, ModulesContainer, type ContextId } from '@nestjs/core';
import { ChangeHandlerContext } from '../contexts/change-handler.context.js';
import { InjectOwn, KOPF_OPTIONS } from '../kopf.tokens.js';
import { passThroughPipes } from '../parameters/parameter.error.js';
import type { HandlerFunction } from '../registry/handler.js';
import type { Enhancers, GlobalEnhancers } from './enhancers.js';
import {
  contextsFor,
  createScopedInstance,
  findEnhancers,
  findGlobalEnhancers,
  findParameters,
  PARAMETERS_METADATA,
  type InstanceWrapper,
} from './nest.internals.js';

/** The result of `ExecutionContext.getType()` in guards, interceptors, and filters of handlers. */
export const KOPF_CONTEXT_TYPE = 'kopf';

type Methods = Record<string, (...args: unknown[]) => unknown>;

/**
 * Nest needs a factory of values for the decorators of requests, such as `@Body()`. Such parameters are rejected before, so it is never
 * asked.
 */
const NO_REQUEST = { exchangeKeyForValue: () => undefined };

/**
 * The creator of the functions by which `HandlerInvoker` calls the methods of handlers.
 *
 * A method goes through Nest's guards, interceptors, pipes, and filters if it or its class has any, or if its parameters have decorators;
 * global ones only with the option `globalEnhancers`, as most are made for requests, and would reject or break handlers. Any other method
 * is called as it is. A request-scoped class gets an instance for each invocation.
 */
@Injectable()
export class HandlerContextCreator {
  private readonly globals: GlobalEnhancers;

  constructor(
    @Inject(ExternalContextCreator) private readonly contexts: ExternalContextCreator,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    @Optional() @InjectOwn(KOPF_OPTIONS) options: { readonly globalEnhancers?: GlobalEnhancers } = {},
  ) {
    this.globals = options.globalEnhancers ?? false;
  }

  /**
   * Creates the function that calls a method of a provider or a controller.
   *
   * @param type the class of the instance.
   * @throws KopfBootstrapError if the installed version of Nest, or a global enhancer, does not permit it.
   */
  create(wrapper: InstanceWrapper, type: { readonly prototype: object }, methodName: string): HandlerFunction {
    const enhance = this.enhancing(wrapper, type, methodName);
    if (wrapper.isDependencyTreeStatic()) {
      const methods = wrapper.instance as Methods;
      return enhance?.(methods) ?? ((context) => methods[methodName](context));
    }
    return async (context: object) => {
      const { instance, contextId } = await createScopedInstance(wrapper, context);
      if (context instanceof ChangeHandlerContext) context.bindSubhandlers(instance);
      const methods = instance as Methods;
      return enhance ? enhance(methods, contextId)(context) : methods[methodName](context);
    };
  }

  /** Whether a method is called directly, without Nest's enhancers, so that its class need not be a provider of the application. */
  isPlain(type: { readonly prototype: object }, methodName: string): boolean {
    const { guards, interceptors, filters } = findEnhancers(type, (type.prototype as Methods)[methodName]);
    return findParameters(type, methodName).length === 0 && !guards && !interceptors && !filters;
  }

  /** Returns a function that puts the enhancers around the method of an instance; `undefined` if the method has none. */
  private enhancing(
    wrapper: InstanceWrapper,
    type: { readonly prototype: object },
    methodName: string,
  ): ((methods: Methods, contextId?: ContextId) => HandlerFunction) | undefined {
    const globals = findGlobalEnhancers(this.config, this.globals);
    const hasParameters = findParameters(type, methodName).length > 0;
    const options = merge(findEnhancers(type, (type.prototype as Methods)[methodName]), globals);
    if (!hasParameters && !options.guards && !options.interceptors && !options.filters) return undefined;
    const contexts = contextsFor(wrapper, this.contexts, this.modules, { globals, aroundPipes: passThroughPipes });
    return (methods, contextId) =>
      contexts.create(
        methods,
        methods[methodName],
        methodName,
        hasParameters ? PARAMETERS_METADATA : undefined,
        hasParameters ? NO_REQUEST : undefined,
        contextId,
        contextId && wrapper.id,
        options,
        KOPF_CONTEXT_TYPE,
      );
  }
}

function merge(own: Enhancers, globals: Enhancers): Enhancers {
  const kinds = Object.keys(own) as (keyof Enhancers)[];
  return Object.fromEntries(kinds.map((kind) => [kind, own[kind] || globals[kind]])) as unknown as Enhancers;
}
