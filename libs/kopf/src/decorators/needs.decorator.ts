import { KopfBootstrapError } from '../common/kopf.errors.js';

/** The verbs of RBAC; others, such as `bind` or `impersonate`, can be given, too. */
export type KubeVerb =
  'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | (string & {});

/** The restrictions of the declared permissions. */
export interface NeedsOptions {
  /** The names of the only objects that are accessed. Objects to be created cannot be restricted so. @default all objects */
  readonly names?: readonly string[];
  /** The namespace of the objects. @default the namespaces that the operator serves */
  readonly namespace?: string;
}

/** The verbs by resources that {@link Needs} declares on a class or a method. */
export interface NeedsMetadata {
  readonly permissions: Readonly<Record<string, readonly KubeVerb[]>>;
  readonly options: NeedsOptions;
}

/** The key of the declarations on classes and methods: a list, as there can be several decorators. */
export const NEEDS_METADATA = 'nestjs-kopf:needs';

/**
 * Declares the requests that a class, or a method of it, sends by `KubeClient` or a typed API, so that the generated RBAC rules allow them.
 * It can be on any provider of the application, also without handlers, and changes nothing at run time.
 *
 * Resources are named as for `KubeClient`, with a subresource after a slash. The permissions to watch and patch the handled objects need
 * not be declared. An empty list for a `status`, or for `events`, declares that the handlers of the class write none, so that no rule
 * allows it; an empty list for `finalizers` declares that the created objects do not block the deletion of their owner, or that the cluster
 * does not check it.
 *
 * @throws KopfBootstrapError if a verb is a wildcard, or if names are given for objects to be created.
 *
 * @example
 * @Injectable()
 * @Needs({ persistentvolumeclaims: ['get', 'create', 'patch'], 'pods/log': ['get'] })
 * @Needs({ secrets: ['get'] }, { names: ['registry'], namespace: 'kube-system' })
 * export class VolumeService {}
 */
export function Needs(
  permissions: Readonly<Record<string, readonly KubeVerb[]>>,
  options: NeedsOptions = {},
): ClassDecorator & MethodDecorator {
  return (target: object, key?: string | symbol, descriptor?: PropertyDescriptor) => {
    const holder: object = key === undefined ? target : (descriptor?.value as object);
    const title = typeof target === 'function' ? target.name : `${target.constructor.name}.${String(key)}`;
    const violations = findViolations(permissions, options);
    if (violations.length > 0) throw new KopfBootstrapError(violations.map((text) => `${title} (@Needs): ${text}`));
    const others = (Reflect.getOwnMetadata(NEEDS_METADATA, holder) as readonly NeedsMetadata[] | undefined) ?? [];
    Reflect.defineMetadata(NEEDS_METADATA, [{ permissions, options }, ...others], holder);
  };
}

function findViolations(permissions: NeedsMetadata['permissions'], { names }: NeedsOptions): readonly string[] {
  return Object.entries(permissions).flatMap(([resource, verbs]) => {
    if (resource.includes('*') || verbs.includes('*')) {
      return [
        `'${resource}' has a wildcard, which permits more than what is known to be needed; name resources and verbs`,
      ];
    }
    if (names && verbs.includes('create')) {
      return [
        `'${resource}' cannot be created by names, as RBAC does not know them then; declare 'create' without names`,
      ];
    }
    if (verbs.length === 0 && !/\/(status|finalizers)$|^events(\.|$)/.test(resource)) {
      return [`'${resource}' has no verbs; only a status, finalizers, and events can be declared as not needed`];
    }
    return [];
  });
}

/** Reads the declarations on a class and its base classes; those on methods are read by {@link needsOfMethod}. */
export function needsOfClass(type: object): readonly NeedsMetadata[] {
  const own = (Reflect.getOwnMetadata(NEEDS_METADATA, type) as readonly NeedsMetadata[] | undefined) ?? [];
  const parent: unknown = Object.getPrototypeOf(type);
  return typeof parent === 'function' && parent !== Function.prototype ? [...needsOfClass(parent), ...own] : own;
}

/** Reads the declarations on a method. */
export function needsOfMethod(method: object): readonly NeedsMetadata[] {
  return (Reflect.getOwnMetadata(NEEDS_METADATA, method) as readonly NeedsMetadata[] | undefined) ?? [];
}
