import type { FieldManager, ManagedWrite } from '../apply/field.manager.js';
import type { KubeObject } from '../interfaces/kube-object.js';
import type { Draft } from './draft.js';
import type { ServedResource } from './served.resource.js';
import { MANAGER_LIMIT, type WriteOptions } from './write.options.js';

/** Describes a write to whoever keeps account of the owners of fields. */
export function managedWrite(
  { apiVersion, resource, custom, schema, strategy }: ServedResource,
  subresource: string | undefined,
  { fieldManager, userAgent = '' }: WriteOptions,
): ManagedWrite {
  const own = strategy.statusSubresource ? ['status'] : [];
  return {
    apiVersion,
    resource,
    custom,
    ...(schema && { schema }),
    ...(subresource && { subresource }),
    ignored: subresource === 'status' ? ['spec', ...(custom ? ['metadata'] : [])] : own,
    manager: fieldManager ?? prefixOf(userAgent),
  };
}

/** Writes down who owns what a draft changes, if anybody keeps account of the object. */
export function trackFields(
  fields: FieldManager,
  served: ServedResource,
  draft: Draft,
  previous: KubeObject | undefined,
  subresource: string | undefined,
  options: WriteOptions,
): void {
  const { metadata } = draft;
  if (metadata.managedFields === undefined && previous?.metadata.managedFields === undefined) return;
  const before = previous ?? emptyObject(served);
  const after = served.strategy.encode({ ...draft });
  const managedFields = fields.update({ ...before }, after, managedWrite(served, subresource, options));
  if (managedFields) metadata.managedFields = managedFields;
  else delete metadata.managedFields;
}

/** An object of a kind in which nothing is said. */
export function emptyObject({ apiVersion, resource, strategy }: ServedResource): KubeObject {
  return strategy.encode({ apiVersion, kind: resource.kind, metadata: {} }) as KubeObject;
}

/** What a client calls itself, without its version. */
function prefixOf(userAgent: string): string {
  let prefix = '';
  for (const character of userAgent.split('/')[0]!.replace(/\p{C}/gu, "")) {
    if (Buffer.byteLength(prefix + character) > MANAGER_LIMIT) break;
    prefix += character;
  }
  return prefix;
}
