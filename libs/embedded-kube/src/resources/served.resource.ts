// resources: objects, the resources that they belong to, and the registry of the resources that are served now.
// A ServedResource carries everything that is particular to a resource, so that no floor above asks for a kind by name.
// May import: common, errors.

import type { GroupName } from '../errors/status.errors.js';
import type { ApiResource } from './api-resource.js';
import type { KubeObject } from './kube-object.js';
import type { ResourceStrategy } from './resource.strategy.js';

/** A column of `kubectl get`, as a CRD's `additionalPrinterColumns` declare it. */
export interface PrinterColumn {
  readonly name: string;
  /** `integer`, `number`, `string`, `boolean`, `date`. */
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0 is always printed, more only with `-o wide`. */
  readonly priority?: number;
  readonly jsonPath: string;
}

/** The paths of the numbers of a `scale` subresource, with dots. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  readonly labelSelector?: string;
}

/** A resource in one version, with all that is needed to serve it. */
export interface ServedResource {
  readonly resource: ApiResource;
  /** The group and version of the objects in requests: `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** The collection of the objects of all versions: `pods`, `deployments.apps`. */
  readonly storageKey: string;
  /** The group and the version in which the objects are stored, where they are not the resource's own. */
  readonly storedAs?: { readonly group?: string; readonly version: string };
  /** Whether a replacement of an object that does not exist creates it. */
  readonly createdByUpdate?: boolean;
  /** Whether a CRD defines the resource. */
  readonly custom: boolean;
  readonly listKind: string;
  readonly strategy: ResourceStrategy;
  readonly printerColumns?: readonly PrinterColumn[];
  /** The JSON paths of a custom resource that field selectors may name. */
  readonly selectableFields?: readonly string[];
  readonly scale?: ScalePaths;
  /** The `openAPIV3Schema` of a custom resource. */
  readonly schema?: object;
  /** The warning for users of a version that is not to be used any more. */
  readonly deprecation?: string;
  /** The reason why nothing new may be created; absent where it may. */
  readonly closed?: string;
  /** Gets what {@link fromStorage} needs from a webhook, before a request reads objects. @throws StatusError 500 */
  readonly prepare?: () => Promise<void>;
  /** Takes the place of {@link toStorage} where a webhook converts what is written. @throws StatusError 500 */
  readonly convertForStorage?: (object: KubeObject) => Promise<KubeObject>;
  /** Whether {@link fromStorage} returns every object that is stored in this version as it is. */
  readonly isReadAsStored: boolean;
  /** Returns a stored object in this version; the object itself, if it is stored in it. */
  fromStorage(object: KubeObject): KubeObject;
  toStorage(object: KubeObject): KubeObject;
}

/** Returns the resource for messages about an object: `deployments.apps`. */
export function resourceName({ resource }: ServedResource): GroupName {
  return { group: resource.group, name: resource.plural };
}

/**
 * Returns the kind for messages about an object's content, as the server stores it: events of events.k8s.io are those of the core group.
 */
export function storedKindName({ resource, storedAs }: ServedResource): GroupName {
  return { group: storedAs?.group ?? resource.group, name: resource.kind };
}

/** Returns the kind for messages about an object's content: `Deployment.apps`. */
export function kindName({ resource }: ServedResource): GroupName {
  return { group: resource.group, name: resource.kind };
}
