import type { ChildContext, ReferenceContext } from '../contexts/related.interface.js';
import type { SelectorParts } from '../resources/selectors.js';
import type { ResourceDeclaration } from '../resources/object-class.js';
import type { ChildOptions, ReferenceOptions } from './handler-options.js';
import type { HandlerDecorator } from './handler.decorators.js';
import { addHandlerMetadata } from './handler.metadata.js';

/** One certain resource: a name such as `'deployments.apps'`, its parts, or a class that declares it. */
export type ResourceName = string | SelectorParts | ResourceDeclaration;

/** Says which field of an object names an object of another resource. */
export interface ReferenceDeclaration {
  /**
   * The field with the name, or with an object of `name` and `namespace`; `[]` stands for each item of a list:
   * `spec.volumes[].secretRef.name`.
   */
  readonly field: string;
  /** The resource of the objects that are referred to. */
  readonly to: ResourceName;
}

/** Keys the references on a class. */
const REFERENCES_METADATA = 'nestjs-kopf:references';

/**
 * Says that a field of objects names objects of another resource: on the class of a typed resource, or on a class of handlers. It can be
 * there several times. `@OnReference()` handlers are called when the objects that are referred to appear, change, or go.
 *
 * @example
 * @Injectable()
 * @References('spec.secretRef.name', 'secrets')
 * export class RotationOperator {
 *   @OnReference('kopfexamples.kopf.dev')
 *   rotate({ referents, missing }: ReferenceContext) {}
 * }
 *
 * @param field as in {@link ReferenceDeclaration}. Names without a namespace are of the object's own.
 */
export function References(field: string, to: ResourceName): ClassDecorator {
  return (target) => {
    const declaration: ReferenceDeclaration = { field, to };
    Reflect.defineMetadata(REFERENCES_METADATA, [declaration, ...referencesOf(target)], target);
  };
}

/** Reads the references on a class, or on one that it extends. */
export function referencesOf(type: unknown): readonly ReferenceDeclaration[] {
  if (typeof type !== 'function') return [];
  return (Reflect.getMetadata(REFERENCES_METADATA, type) as readonly ReferenceDeclaration[] | undefined) ?? [];
}

/**
 * Calls the method for an object when its children change: objects that name it in their owner references. It is called once when the
 * operator sees the object, so that nothing is missed while it is down, and then once for each burst of changes; never twice at the same
 * time. Errors are retried as a timer's. The method gets a {@link ChildContext}.
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
 * Calls the method for an object when what it refers to appears, changes, or goes, and when its references change. The references are
 * declared by `@References()`, on the class of the resource or of the handlers. It is called once when the operator sees the object, and
 * then once for each burst of changes. Errors are retried as a timer's. The method gets a {@link ReferenceContext}.
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
