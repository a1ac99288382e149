import type { ObjectMeta } from '../interfaces/kube-object.interface.js';

/** An object to be created: a plain one, or a typed model of a client library. Its metadata is made where it is missing. */
export interface Dependant {
  metadata?: object;
}

/** One object, or several. */
export type Dependants = Dependant | readonly Dependant[];

/** Makes a list of one or several objects. */
export function toList(objects: Dependants): readonly Dependant[] {
  return Array.isArray(objects) ? (objects as readonly Dependant[]) : [objects as Dependant];
}

/** The metadata of an object, to be written into. */
export function metadataOf(object: Dependant): ObjectMeta {
  object.metadata ??= {};
  return object.metadata as ObjectMeta;
}
