import type { ObjectMeta, WatchEvent } from '../../objects/kube-object.js';
import { resourceApiVersion, type Resource } from '../../resources/resources.js';
import type { KnownObject } from './known.objects.js';

/** An event of an object as it was received, or a deletion that was found by comparing a list with the known objects. */
export interface KubeWatchEvent extends WatchEvent {
  /** Whether the object was deleted while the watch was interrupted, so that the event contains only its identity. */
  readonly vanished?: true;
}

/** The mark of the end of a list: all existing objects were passed on, and missed deletions were reported. */
export type ListedMark = 'LISTED';

/** Creates the event of an object that was deleted while the watch was interrupted: only its identity is known. */
export function createDeletion(resource: Resource, { uid, name, namespace }: KnownObject): KubeWatchEvent {
  const metadata: ObjectMeta = { name, namespace, uid };
  const object = { apiVersion: resourceApiVersion(resource), kind: resource.kind, metadata };
  return { type: 'DELETED', object, vanished: true };
}
