import type { FactoryProvider, InjectionToken, Provider, Type } from '@nestjs/common';
import { DEFAULT_OPERATOR, moduleTokenOf, operatorTokenOf, type OperatorService } from '../kopf.tokens.js';
import { readDependencies } from './nest.internals.js';

/**
 * Makes the providers of an operator with a name: under tokens with this name, and with dependencies likewise. So a module of the library is
 * written once, with the tokens of the operator without a name, and can be there once for each operator; and what is got by a class from the
 * application, or replaced by it in tests, is of the operator without a name only.
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
 * Makes the provider that a module of the library has first: Nest fails at it where the application does not import the operators, and says
 * that `KopfModule.forRoot()` is missing, instead of some class within the library.
 *
 * @param module names the module, for this message.
 */
export function requireOperators(module: string, operators: readonly string[]): FactoryProvider {
  return { provide: module, useFactory: () => operators, inject: operators.map(moduleTokenOf) };
}

/** The token of a provider. */
export function tokenOf(provider: Provider): Type | InjectionToken {
  return typeof provider === 'function' ? provider : provider.provide;
}
