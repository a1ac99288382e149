// kopf.tokens: the injection tokens of the module, in a file of their own, so that injected classes need not import their providers; also
// the tokens of named operators, of which an application can have several, and the decorator by which the library's own classes inject.
// May import: nothing of this library.

import { Inject, type InjectionToken } from '@nestjs/common';

/** The options of the module. The tokens here are for values without a class. */
export const KOPF_OPTIONS = Symbol('KOPF_OPTIONS');
/** The context of the handler for which a request-scoped provider was made. */
export const KOPF_CONTEXT = Symbol('KOPF_CONTEXT');
export const KOPF_CLOCK = Symbol('KOPF_CLOCK');
export const KOPF_RANDOM = Symbol('KOPF_RANDOM');
export const KOPF_LOGGER = Symbol('KOPF_LOGGER');
export const KOPF_LIFECYCLE = Symbol('KOPF_LIFECYCLE');
/** The prefix of the ids of a module's handlers, in the feature module that it imports. */
export const KOPF_ID_PREFIX = Symbol('KOPF_ID_PREFIX');

/** The name of the operator that a module belongs to. */
export const KOPF_OPERATOR_NAME = Symbol('KOPF_OPERATOR_NAME');

/** The name of the operator of a module without a name. Its services are injected by their classes. */
export const DEFAULT_OPERATOR = 'default';

/** A service of an operator: its class, or the token of a value without a class, such as `KOPF_CLOCK`. */
export type OperatorService = (abstract new (...args: any[]) => unknown) | symbol;

/** Returns the token under which `KopfModule` provides the operator. Nest shows its text if the application does not import the module. */
export function moduleTokenOf(operator: string): string {
  return operator === DEFAULT_OPERATOR ? 'KopfModule.forRoot()' : `KopfModule.forRoot({ name: '${operator}' })`;
}

/** Returns the token by which a service of the operator is injected. Its text says what is missing if it cannot be injected. */
export function operatorTokenOf(operator: string, service: OperatorService): InjectionToken {
  if (operator === DEFAULT_OPERATOR) return service;
  const origin = `of ${moduleTokenOf(operator)}`;
  if (typeof service === 'symbol') return `${service.description} ${origin}`;
  return classTokenOf(service, `${service.name} ${origin}`);
}

/** Returns the token under which each module of an operator, and no other module, has a service of that operator. */
export function ownTokenOf(service: OperatorService): InjectionToken {
  const origin = 'of the operator of the module';
  if (typeof service === 'symbol') return `${service.description} ${origin}`;
  return classTokenOf(service, `${service.name} ${origin}`);
}

/**
 * Injects a service of the operator that the module of the class belongs to. All classes of the library inject services in this way: the
 * class of a service, as a token, means the service of the operator without a name.
 *
 * @param service the class of the service, or a token such as `KOPF_CLOCK`.
 */
export function InjectOwn(service: OperatorService): ParameterDecorator {
  return Inject(ownTokenOf(service));
}

/** Returns a token for a class: classes are distinguished by identity, as bundlers give one short name to several. */
export function classTokenOf(type: abstract new (...args: any[]) => unknown, name: string): symbol {
  const key = `nestjs-kopf:token:${name}`;
  const known = Reflect.getOwnMetadata(key, type) as symbol | undefined;
  if (known) return known;
  const token = Symbol(name);
  Reflect.defineMetadata(key, token, type);
  return token;
}
