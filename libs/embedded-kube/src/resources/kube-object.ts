/** A Kubernetes object. Objects in the server are never changed: a change makes a new object that shares the unchanged parts. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** The metadata of an object. Timestamps are RFC 3339 in UTC with seconds: `2024-05-01T10:00:00Z`. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  /** The owners of fields. */
  readonly managedFields?: readonly object[];
  readonly [field: string]: unknown;
}

/** A reference to an owner; an object whose owners are all gone is collected. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Metadata that is being made. Its maps and lists may be shared with other objects: they are replaced, never changed. */
export type MetadataDraft = { -readonly [Key in keyof ObjectMeta]: ObjectMeta[Key] };

/** An object that is being made: its own top level and metadata may be changed, what lies deeper is replaced as a whole. */
export interface Draft {
  apiVersion: string;
  kind: string;
  metadata: MetadataDraft;
  [field: string]: unknown;
}

/** Returns a draft that begins as an object. */
export function draftOf(object: KubeObject): Draft {
  return { ...object, metadata: { ...object.metadata } };
}
