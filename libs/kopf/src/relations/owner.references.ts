import type { KubeObject, OwnerReference } from '../objects/kube-object.js';

/** Returns the group of an `apiVersion`: `apps` of `apps/v1`, an empty string of `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Returns the reference of an object to its controller: the one owner that manages it. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Checks whether an owner reference is to an object of the kind, whatever its version. */
export function isOfKind({ apiVersion, kind }: OwnerReference, other: { group: string; kind: string }): boolean {
  return kind === other.kind && groupOf(apiVersion) === other.group;
}
