import type { ObjectMeta } from '../interfaces/kube-object.interface.js';

/** An object to be created: a plain one, or a typed model of a client library. Its metadata is made where it is missing. */
export type Dependant = object & { metadata?: object };

/** One object, or several: a list, a set, or any other iterable. */
export type Dependants = Dependant | Iterable<Dependant>;

/** Makes a list of one or several objects. */
export function toList(objects: Dependants): readonly Dependant[] {
  return Symbol.iterator in objects ? [...objects] : [objects];
}

/** The metadata of an object, to be written into. */
export function metadataOf(object: Dependant): ObjectMeta {
  object.metadata ??= {};
  return object.metadata as ObjectMeta;
}
