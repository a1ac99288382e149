import type { FactoryProvider, InjectionToken, Provider, Type } from '@nestjs/common';
import { DEFAULT_OPERATOR, moduleTokenOf, operatorTokenOf, type OperatorService } from '../kopf.tokens.js';
import { readDependencies } from './nest.internals.js';

/**
 * Creates the providers of a named operator: under tokens with its name, and with dependencies on such tokens. So the modules of the
 * library are written once, for the operator without a name, and can be instantiated for each operator. Classes that the application
 * injects, or that tests override, belong to the operator without a name only.
 *
 * @param providers classes that inject by `@Inject()` only, values, and factories.
 * @param services what the providers inject from other modules of the operator.
 */
export function bindToOperator(
  operator: string,
  providers: readonly Provider[],
  services: readonly OperatorService[] = [],
): Provider[] {
  if (operator === DEFAULT_OPERATOR) return [...providers];
  const bound = new Set<unknown>([...services, ...providers.map(tokenOf)]);
  const bind = <T>(token: T) => (bound.has(token) ? operatorTokenOf(operator, token as OperatorService) : token);
  return providers.map((provider): Provider => {
    const provide = bind(tokenOf(provider)) as InjectionToken;
    if (typeof provider === 'function') {
      const create = (...dependencies: unknown[]): unknown => new provider(...dependencies);
      return { provide, useFactory: create, inject: readDependencies(provider).map(bind) };
    }
    if ('useFactory' in provider) return { ...provider, provide, inject: provider.inject?.map(bind) };
    return { ...provider, provide };
  });
}

/**
 * Creates the first provider of a module of the library that needs the operators. Where the application does not import
 * `KopfModule.forRoot()`, Nest fails at this provider, with a message that says so, instead of at some class within the library.
 *
 * @param module the name of the module, for this message.
 */
export function requireOperators(module: string, operators: readonly string[]): FactoryProvider {
  return { provide: module, useFactory: () => operators, inject: operators.map(moduleTokenOf) };
}

/** Returns the token of a provider. */
export function tokenOf(provider: Provider): Type | InjectionToken {
  return typeof provider === 'function' ? provider : provider.provide;
}
