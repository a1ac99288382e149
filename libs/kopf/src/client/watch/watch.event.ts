import type { ObjectMeta, WatchEvent } from '../../objects/kube-object.js';
import { resourceApiVersion, type Resource } from '../../resources/resources.js';
import type { KnownObject } from './known.objects.js';

/** Holds an event of an object as it came, or a deletion that was found by comparing a list with the objects known before. */
export interface KubeWatchEvent extends WatchEvent {
  /** Is true if the object was deleted while the watch was interrupted; the event has its identity, and nothing else. */
  readonly vanished?: true;
}

/** The mark of the end of a list: all objects were there, and those that have vanished were reported. */
export type ListedMark = 'LISTED';

/** Makes the event of an object that has vanished while nobody watched: only its identity is known. */
export function createDeletion(resource: Resource, { uid, name, namespace }: KnownObject): KubeWatchEvent {
  const metadata: ObjectMeta = { name, namespace, uid };
  const object = { apiVersion: resourceApiVersion(resource), kind: resource.kind, metadata };
  return { type: 'DELETED', object, vanished: true };
}
