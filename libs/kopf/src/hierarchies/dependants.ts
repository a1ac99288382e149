import type { ObjectMeta } from '../objects/kube-object.js';

/** An object to be created: a plain one, or a typed model of a client library. Its metadata is made where it is missing. */
export type Dependant = object & { metadata?: object };

/** Is one object, or several: a list, a set, or any other iterable, also of lists. */
export type Dependants = Dependant | Iterable<Dependant>;

/** Makes a flat list of one or several objects; what is missing is left out. */
export function toList(objects: Dependants | null | undefined): readonly Dependant[] {
  if (objects === null || objects === undefined) return [];
  return Symbol.iterator in objects ? [...objects].flatMap(toList) : [objects];
}

/** The metadata of an object, to be written into. */
export function metadataOf(object: Dependant): ObjectMeta {
  object.metadata ??= {};
  return object.metadata as ObjectMeta;
}
