import { type Handler, resolveField } from 'nestjs-kopf/tooling';
import type { FieldPath, KubeObject } from 'nestjs-kopf';

/** The part of an object whose changes a handler is called for. It has a field of the status only if the handler is for that field. */
export function essenceOf(body: KubeObject, handler?: Handler): string {
  const { metadata, ...fields } = body;
  const { field: path } = (handler ?? {}) as { readonly field?: FieldPath };
  const field = path && resolveField(body, path);
  const rest = { ...fields, status: undefined, field };
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !/^kopf\.|^kubectl\./.test(key));
  return JSON.stringify([rest, metadata.labels, annotations, metadata.deletionTimestamp !== undefined]);
}
