// custom-resources: from classes to CustomResourceDefinitions. The properties of a class, with the rules of class-validator and the few
// decorators here, become a structural schema; the class also identifies the resource, so that handlers can be declared for it.
// May import: what describes resources, decorators, and the client for installing CRDs; nothing of how events are handled.

import { KopfBootstrapError } from '../common/kopf.errors.js';
import { type ObjectClass, KOPF_RESOURCE } from '../resources/object-class.js';
import type { CustomResourceOptions } from './custom-resource.options.js';

/** A class with `@CustomResource()`, and its declaration. */
export interface DeclaredVersion {
  readonly type: ObjectClass;
  readonly declaration: CustomResourceDeclaration;
}

/** The options of `@CustomResource()` on a class, with the defaults of all names. */
export interface CustomResourceDeclaration extends CustomResourceOptions {
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly scope: 'Namespaced' | 'Cluster';
}

/** The key of the declaration, a static member of the class, which does not count for subclasses. */
const DECLARATION = 'nestjs-kopf:custom-resource';

/**
 * Declares that the class describes the objects of a custom resource. Handlers are declared for the class, which also types their
 * contexts; and `customResourceDefinition()` makes the CRD of it.
 *
 * The classes of `spec` and `status` are those of the properties, whose rules of class-validator become the schema.
 *
 * @example
 * class DiskSpec {
 *   @Matches(/^\d+Gi$/) size: string;
 *   @IsOptional() @IsInt() @Min(1) replicas?: number;
 * }
 *
 * @CustomResource({ group: 'example.com', shortNames: ['dk'] })
 * class Disk {
 *   @ValidateNested() spec: DiskSpec;
 * }
 *
 * @OnCreate(Disk)
 * create({ spec }: ChangeContext<DiskSpec>) {}
 *
 * @throws KopfBootstrapError if the class has been declared before.
 */
export function CustomResource(options: CustomResourceOptions): ClassDecorator {
  return (type: Function) => {
    const kind = options.kind ?? type.name;
    const singular = options.singular ?? kind.toLowerCase();
    if (Reflect.hasOwnMetadata(DECLARATION, type)) {
      throw new KopfBootstrapError([`${type.name} (@CustomResource): the class has the decorator twice; remove one`]);
    }
    const declaration: CustomResourceDeclaration = {
      ...options,
      kind,
      singular,
      version: options.version ?? 'v1',
      plural: options.plural ?? pluralOf(singular),
      listKind: options.listKind ?? `${kind}List`,
      scope: options.scope ?? 'Namespaced',
    };
    Reflect.defineMetadata(DECLARATION, declaration, type);
    const { group, version, plural } = declaration;
    Object.defineProperty(type, KOPF_RESOURCE, { value: { group, version, plural }, configurable: true });
  };
}

/** Finds the declaration of `@CustomResource()` on a class; `undefined` without it. */
export function findCustomResource(type: unknown): CustomResourceDeclaration | undefined {
  if (typeof type !== 'function') return undefined;
  return Reflect.getOwnMetadata(DECLARATION, type) as CustomResourceDeclaration | undefined;
}

/** Reads the declaration of `@CustomResource()` on a class. @throws KopfBootstrapError without it. */
export function customResourceOf(type: ObjectClass): CustomResourceDeclaration {
  const declaration = findCustomResource(type);
  if (declaration) return declaration;
  throw new KopfBootstrapError([`${type.name}: the class declares no custom resource; put @CustomResource() on it`]);
}

/** Guesses the plural by the rules of Kubernetes' tools. */
function pluralOf(singular: string): string {
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
