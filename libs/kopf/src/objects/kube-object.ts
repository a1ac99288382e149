// objects: objects as JSON, and what can be computed from them: diffs, essences, patches, fields, live views. Pure functions and values:
// the same objects always give the same result, so their specs are tables. Other folders send requests, call handlers, and decide what is
// stored.
// May import: common.

/** The metadata of a Kubernetes object, as the API server sends it. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  [key: string]: unknown;
}

/** The metadata of an object as handlers get it: with labels and annotations, which are empty if the object has none. */
export interface PresentMeta extends ObjectMeta {
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** A reference from a dependant to its owner; when the owner is deleted, the dependant is garbage-collected. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/**
 * A Kubernetes object as plain JSON: what the API server sent, never copied and never changed by the library.
 *
 * Objects can come without a spec, a status, or labels: nothing but the metadata is certain.
 */
export interface KubeObject<Spec = any, Status = any> {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec?: Spec;
  status?: Status;
  [key: string]: unknown;
}

/** The type of a watch event. A `null` marks an object of the initial list, as in Kopf. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | null;

/** One event of one object, from a list or from a watch. */
export interface WatchEvent {
  readonly type: WatchEventType;
  readonly object: KubeObject;
}

/** Returns the metadata with labels and annotations; the metadata itself if it has both. */
export function withPresentParts(metadata: ObjectMeta): PresentMeta {
  const { labels, annotations } = metadata;
  if (labels && annotations) return metadata as PresentMeta;
  return { ...metadata, labels: labels ?? {}, annotations: annotations ?? {} };
}

const DECIMAL = /^\d+$/;

/**
 * Checks whether one resource version is older than another one of the same resource.
 *
 * Kubernetes defines resource versions as decimal numbers of any length that can be compared. If an aggregated API server has other
 * versions, their order is unknown, and every version except the expected one counts as older.
 *
 * @param version the version in question; an absent one counts as older.
 */
export function isOlderVersion(version: string | undefined, expected: string): boolean {
  if (version === expected) return false;
  if (version === undefined || !DECIMAL.test(version) || !DECIMAL.test(expected)) return true;
  return version.length === expected.length ? version < expected : version.length < expected.length;
}
