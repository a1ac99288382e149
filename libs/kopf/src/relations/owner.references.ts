import type { KubeObject, OwnerReference } from '../objects/kube-object.js';
import { groupOf } from '../resources/resources.js';

/** Returns the reference of an object to its controller: the one owner that manages it. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Checks whether an owner reference is to an object of the kind, whatever its version. */
export function isOfKind({ apiVersion, kind }: OwnerReference, other: { group: string; kind: string }): boolean {
  return kind === other.kind && groupOf(apiVersion) === other.group;
}
