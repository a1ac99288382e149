import type { KubeList } from './kube-list.interface.js';
import type { KubeObject } from '../../objects/kube-object.js';

/** Writes the kind and the API version into the items of a list, in place: servers name them for the list only. */
export function fillKinds<T extends KubeObject>(list: KubeList<T>): KubeList<T> {
  const kind = list.kind?.endsWith('List') ? list.kind.slice(0, -4) : undefined;
  for (const item of list.items ?? []) {
    item.apiVersion ??= list.apiVersion;
    item.kind ??= kind;
  }
  return list;
}
