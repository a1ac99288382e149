import type { ChildContext, ReferenceContext } from '../contexts/related.interface.js';
import type { SelectorParts } from '../resources/selectors.js';
import type { ResourceDeclaration } from '../resources/object-class.js';
import type { ChildOptions, ReferenceOptions } from './handler-options.js';
import type { HandlerDecorator } from './handler.decorators.js';
import { addHandlerMetadata } from './handler.metadata.js';

/** A single resource: a name such as `'deployments.apps'`, its parts, or a class that declares it. */
export type ResourceName = string | SelectorParts | ResourceDeclaration;

/** A field of an object that names an object of another resource. */
export interface ReferenceDeclaration {
  /**
   * The path of the field with the name, or with an object of `name` and `namespace`; `[]` stands for each item of a list:
   * `spec.volumes[].secretRef.name`.
   */
  readonly field: string;
  /** The resource of the referenced objects. */
  readonly to: ResourceName;
}

/** The key of the references on a class. */
const REFERENCES_METADATA = 'nestjs-kopf:references';

/**
 * Declares that a field of objects names objects of another resource: on the class of a typed resource, or on a class of handlers. There
 * can be several of them. `@OnReference()` handlers are called when the referenced objects are created, changed, or deleted.
 *
 * @example
 * @Injectable()
 * @References('spec.secretRef.name', 'secrets')
 * export class RotationOperator {
 *   @OnReference('kopfexamples.kopf.dev')
 *   rotate({ referents, missing }: ReferenceContext) {}
 * }
 *
 * @param field as in {@link ReferenceDeclaration}. Names without a namespace are in the namespace of the object.
 */
export function References(field: string, to: ResourceName): ClassDecorator {
  return (target) => {
    const declaration: ReferenceDeclaration = { field, to };
    Reflect.defineMetadata(REFERENCES_METADATA, [declaration, ...referencesOf(target)], target);
  };
}

/** Reads the references on a class, or on a base class. */
export function referencesOf(type: unknown): readonly ReferenceDeclaration[] {
  if (typeof type !== 'function') return [];
  return (Reflect.getMetadata(REFERENCES_METADATA, type) as readonly ReferenceDeclaration[] | undefined) ?? [];
}

/**
 * Calls the method for an object when its children change: objects with an owner reference to it. It is called once when the operator first
 * sees the object, so that changes while the operator was down are not missed, and then once for each burst of changes; never twice at the
 * same time. Errors are retried like those of a timer. The method gets a {@link ChildContext}.
 *
 * Of the children, the operator watches the metadata only.
 *
 * @example
 * @OnChild('deployments.apps', 'pods', { depth: 2 })
 * count({ children, patch }: ChildContext) {
 *   patch.metadata.annotations['example.com/pods'] = String(children.length);
 * }
 *
 * @param parent the resource of the objects that are handled.
 * @param child the resource of their children.
 */
export function OnChild(
  parent: ResourceName,
  child: ResourceName,
  options: ChildOptions = {},
): HandlerDecorator<ChildContext> {
  return addHandlerMetadata({ kind: 'child', decorator: '@OnChild', selector: [parent], related: child, options });
}

/**
 * Calls the method for an object when a referenced object is created, changed, or deleted, and when its references change. The references
 * are declared by `@References()`, on the class of the resource or of the handlers. It is called once when the operator first sees the
 * object, and then once for each burst of changes. Errors are retried like those of a timer. The method gets a {@link ReferenceContext}.
 *
 * @example
 * @OnReference('kopfexamples.kopf.dev', { condition: 'ReferencesResolved' })
 * rotate({ missing }: ReferenceContext) {
 *   if (missing.length > 0) throw new TemporaryError(`There is no secret ${missing[0].name}.`);
 * }
 */
export function OnReference(
  resource: ResourceName,
  options: ReferenceOptions = {},
): HandlerDecorator<ReferenceContext> {
  return addHandlerMetadata({ kind: 'reference', decorator: '@OnReference', selector: [resource], options });
}
