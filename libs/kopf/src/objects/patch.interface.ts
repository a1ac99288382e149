import type { KubeObject, ObjectMeta } from './kube-object.interface.js';

/** Changes the given copy of the newest object in place. Can be called more than once, if the object changes meanwhile. */
export type PatchTransformation = (body: KubeObject) => void;

/**
 * The changes that a handler wants in its object. They are sent after the handlers of the cycle, in one request where possible.
 *
 * The parts are plain objects to write into: `patch.status.phase = 'Ready'`, `patch.metadata.labels['a'] = null`.
 * A `null` removes the field; maps are merged, lists are replaced (RFC 7386).
 */
export interface Patch {
  readonly spec: Record<string, any>;
  readonly status: Record<string, any>;
  readonly metadata: PatchMetadata;
  /** Same as `metadata`. */
  readonly meta: PatchMetadata;
  /** Merges any fields into the patch: `patch.merge({ data: { key: 'value' } })`. */
  merge(fields: Record<string, unknown>): void;
  /** Adds a change that cannot be expressed by merging (of a list's items, for example); sent as a JSON patch, retried on conflicts. */
  transform(transformation: PatchTransformation): void;
}

/** The metadata of a patch; `null` removes a field, a label, or an annotation. */
export interface PatchMetadata extends Partial<{ [Key in keyof Omit<ObjectMeta, 'labels' | 'annotations'>]: unknown }> {
  labels: Record<string, string | null>;
  annotations: Record<string, string | null>;
}
