import type { FactoryProvider, InjectionToken, Provider, Type } from '@nestjs/common';
import { moduleTokenOf, operatorTokenOf, ownTokenOf, type OperatorService } from '../kopf.tokens.js';

/**
 * Creates the provider of a service of an operator, under the token by which the application injects it, finds it, and replaces it in tests:
 * the class of the service, or a token with the name of the operator.
 */
export function provideService(operator: string, provider: Provider): Provider {
  const provide = operatorTokenOf(operator, tokenOf(provider) as OperatorService);
  return typeof provider === 'function' ? { provide, useClass: provider } : { ...provider, provide };
}

/**
 * Creates the providers by which the classes of a module get the services of its operator, with `@InjectOwn()`. So these classes are the
 * same in the modules of all operators, and Nest creates them.
 *
 * @param services what the classes of the module inject.
 */
export function provideOwn(operator: string, services: readonly OperatorService[]): Provider[] {
  return services.map((service) => ({ provide: ownTokenOf(service), useExisting: operatorTokenOf(operator, service) }));
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
