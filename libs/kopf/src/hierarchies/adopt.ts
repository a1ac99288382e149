// hierarchies: functions that make objects dependants of the handled one: adopt, label, names, namespaces, owner references. Users call
// them; no other folder of the library uses them.
// May import: objects, and from execution the scope of the invocation, which has the handled object.

import type { ObjectMeta } from '../objects/kube-object.js';
import {
  toList,
  type Dependant,
  type Dependants,
  appendOwnerReference,
  requireOwner,
  type Owner,
  type OwnerReferenceOptions,
} from './owner-references.js';
import { label, type LabelOptions } from './labels.js';
import { adjustNamespace, harmonizeNaming, type HarmonizeOptions } from './naming.js';

/** The options of the adoption of objects. */
export type AdoptOptions = OwnerReferenceOptions & LabelOptions & HarmonizeOptions;

/**
 * Makes objects the children of their owner, before they are created: they get its name as the prefix of their names, its namespace, its
 * labels, and a reference to it, so that they are deleted with it. Names, namespaces, labels, and references that they already have stay.
 *
 * @returns the same object, or the same list.
 * @throws TypeError if no owner is given and no object is being handled.
 * @example
 * const claim = adopt({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', spec });
 */
export function adopt<T extends Iterable<Dependant>>(objects: T, options?: AdoptOptions): T;
export function adopt<T extends Dependant>(object: T, options?: AdoptOptions): T & { metadata: ObjectMeta };
export function adopt(objects: Dependants, options: AdoptOptions = {}): Dependants {
  const owner: Owner = requireOwner(options.owner);
  const list = toList(objects);
  appendOwnerReference(list, { ...options, owner });
  harmonizeNaming(list, owner.metadata.name, options);
  // A cluster-scoped owner has no namespace.
  if (owner.metadata.namespace) adjustNamespace(list, owner.metadata.namespace, options);
  label(list, owner.metadata.labels ?? {}, options);
  return objects;
}
