// hierarchies: functions that make objects dependants of the handled one: adopt, label, names, namespaces, owner references.
// They are for users to call; nothing of the library needs them.
// May import: objects, and the scope of the invocation from execution, which knows the handled object.

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

/** Configures how objects are adopted. */
export type AdoptOptions = OwnerReferenceOptions & LabelOptions & HarmonizeOptions;

/**
 * Makes objects the children of their owner, before they are created: they get its name as the beginning of theirs,
 * its namespace, its labels, and a reference to it, so that they are deleted with it. What they have already stays.
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
  // An owner that belongs to the cluster has no namespace to give.
  if (owner.metadata.namespace) adjustNamespace(list, owner.metadata.namespace, options);
  label(list, owner.metadata.labels ?? {}, options);
  return objects;
}
