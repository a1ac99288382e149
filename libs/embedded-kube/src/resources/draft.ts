import type { KubeObject, ObjectMeta } from './kube-object.js';

/** Metadata that is being made. Its maps and lists belong to others: they are replaced, never changed. */
export type MetadataDraft = { -readonly [Key in keyof ObjectMeta]: ObjectMeta[Key] };

/** An object that is being made: its own top level and metadata may be changed, what lies deeper is replaced as a whole. */
export interface Draft {
  apiVersion: string;
  kind: string;
  metadata: MetadataDraft;
  [field: string]: unknown;
}

/** A draft that begins as an object. */
export function draftOf(object: KubeObject): Draft {
  return { ...object, metadata: { ...object.metadata } };
}
