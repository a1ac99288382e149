import type { ObjectMeta } from '../../objects/kube-object.js';
import { resourceApiVersion, type Resource } from '../../resources/resources.js';
import type { KnownObject } from './known.objects.js';
import type { KubeWatchEvent } from './watch.source.js';

/** Makes the event of an object that has vanished while nobody watched: only its identity is known. */
export function createDeletion(resource: Resource, { uid, name, namespace }: KnownObject): KubeWatchEvent {
  const metadata: ObjectMeta = { name, namespace, uid };
  const object = { apiVersion: resourceApiVersion(resource), kind: resource.kind, metadata };
  return { type: 'DELETED', object, vanished: true };
}
