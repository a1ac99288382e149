import type { ObjectMeta, KubeObject, OwnerReference } from '../objects/kube-object.js';
import { currentScope } from '../execution/invocation.scope.js';

/** An object to be created: a plain one, or a typed model of a client library. Missing metadata is added. */
export type Dependant = object & { metadata?: object };

/** One object, or several: a list, a set, or any other iterable, also of lists. */
export type Dependants = Dependant | Iterable<Dependant>;

/** Converts one or several objects to a flat list, without `null` and `undefined`. */
export function toList(objects: Dependants | null | undefined): readonly Dependant[] {
  if (objects === null || objects === undefined) return [];
  return Symbol.iterator in objects ? [...objects].flatMap(toList) : [objects];
}

/** Returns the metadata of an object for writing, and adds it if it is missing. */
export function metadataOf(object: Dependant): ObjectMeta {
  object.metadata ??= {};
  return object.metadata as ObjectMeta;
}

/** An object that owns others. Left out, it is the object that is being handled. */
export type Owner = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

/** The options of an owner reference. */
export interface OwnerReferenceOptions {
  /** @default the object that is being handled */
  owner?: Owner;
  /** Whether the owner is the controller of the dependant; there can be only one. @default true */
  controller?: boolean;
  /** Whether a foreground deletion of the owner waits for the dependant. @default true */
  blockOwnerDeletion?: boolean;
}

/**
 * Adds a reference to the owner, so that the garbage collector deletes the objects with it. A reference to the same owner stays
 * as it is.
 *
 * @throws TypeError if no owner is given and no object is being handled, or if the owner lacks its kind, name, or uid.
 */
export function appendOwnerReference(objects: Dependants, options: OwnerReferenceOptions = {}): void {
  const reference = createReference(options);
  for (const object of toList(objects)) {
    const metadata = metadataOf(object);
    const references = metadata.ownerReferences ?? [];
    if (!references.some(({ uid }) => uid === reference.uid))
      metadata.ownerReferences = [...references, { ...reference }];
  }
}

/** Removes the reference to the owner, if there is one. */
export function removeOwnerReference(objects: Dependants, { owner }: { owner?: Owner } = {}): void {
  const { uid } = requireOwner(owner).metadata;
  for (const object of toList(objects)) {
    const { ownerReferences } = metadataOf(object);
    if (!ownerReferences?.some((reference) => reference.uid === uid)) continue;
    metadataOf(object).ownerReferences = ownerReferences.filter((reference) => reference.uid !== uid);
  }
}

/** Returns the given owner or, without one, the object that is being handled. */
export function requireOwner(owner: Owner | undefined): Owner {
  const found = owner ?? currentScope()?.body;
  if (!found) throw new TypeError('There is no owner: give one, or call the function within a handler of an object.');
  return found;
}

function createReference({
  owner,
  controller = true,
  blockOwnerDeletion = true,
}: OwnerReferenceOptions): OwnerReference {
  const { apiVersion, kind, metadata } = requireOwner(owner);
  const { name, uid } = metadata;
  if (!apiVersion || !kind || !name || !uid) {
    throw new TypeError('An owner needs its apiVersion, kind, metadata.name, and metadata.uid.');
  }
  return { controller, blockOwnerDeletion, apiVersion, kind, name, uid };
}
