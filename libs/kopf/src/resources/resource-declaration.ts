import type { Resource } from './resource.interface.js';

/**
 * The static member by which a class says which resource its instances are objects of.
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

/** Tells whether a value declares a resource. */
export function isResourceDeclaration(value: unknown): value is ResourceDeclaration {
  return typeof value === 'function' && KOPF_RESOURCE in value;
}
