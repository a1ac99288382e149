import type { Resource } from './resources.js';

/** A class whose instances describe the objects of a resource, such as one with `@CustomResource()`. */
export type ObjectClass = abstract new (...args: any[]) => object;

/** The type of the `spec` of a class of objects; `any` if it has none. */
export type SpecOf<Class extends ObjectClass> =
  InstanceType<Class> extends { readonly spec?: infer Spec } ? (unknown extends Spec ? any : NonNullable<Spec>) : any;

/** The type of the `status` of a class of objects; `any` if it has none. */
export type StatusOf<Class extends ObjectClass> =
  InstanceType<Class> extends { readonly status?: infer Status }
    ? unknown extends Status
      ? any
      : NonNullable<Status>
    : any;

/**
 * The key of the static member by which a class declares which resource its instances are objects of.
 *
 * @example
 * class Claim {
 *   static readonly [KOPF_RESOURCE] = { group: 'kopf.dev', version: 'v1', plural: 'ephemeralvolumeclaims' };
 * }
 */
export const KOPF_RESOURCE: unique symbol = Symbol.for('nestjs-kopf.resource');

/** A class that declares the resource of its instances. */
export interface ResourceDeclaration {
  readonly [KOPF_RESOURCE]: Pick<Resource, 'group' | 'version' | 'plural'>;
}

/** Checks whether a value declares a resource. */
export function isResourceDeclaration(value: unknown): value is ResourceDeclaration {
  return typeof value === 'function' && KOPF_RESOURCE in value;
}
