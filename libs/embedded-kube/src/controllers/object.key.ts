import type { KubeObject } from '../resources/kube-object.js';

/** The key of an object in its resource, for queues. */
export function objectKey({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** The namespace, undefined for none, and the name of a key. */
export function splitKey(key: string): [namespace: string | undefined, name: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash) || undefined, key.slice(slash + 1)];
}
