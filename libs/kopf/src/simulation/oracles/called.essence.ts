import { resolveField, type FieldPath } from '../../objects/field-path.js';
import type { KubeObject } from '../../objects/kube-object.js';
import type { Handler } from '../../registry/handler.js';

/** The part of an object that a handler is called for: a field of the status belongs to it only if it is the handler's own. */
export function essenceOf(body: KubeObject, handler?: Handler): string {
  const { metadata, ...fields } = body;
  const { field: path } = (handler ?? {}) as { readonly field?: FieldPath };
  const field = path && resolveField(body, path);
  const rest = { ...fields, status: undefined, field };
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !/^kopf\.|^kubectl\./.test(key));
  return JSON.stringify([rest, metadata.labels, annotations, metadata.deletionTimestamp !== undefined]);
}
