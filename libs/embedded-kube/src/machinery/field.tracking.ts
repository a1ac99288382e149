import type { FieldManager } from '../apply/field.manager.js';
import type { ManagedWrite } from '../apply/managed.write.js';
import { readManagedFields } from '../apply/managed.fields.js';
import { resetFields } from '../apply/reset.fields.js';
import type { JsonObject } from '../common/json.values.js';
import type { KubeObject, Draft } from '../resources/kube-object.js';
import type { ServedResource } from '../resources/served.resource.js';
import { MANAGER_LIMIT, type WriteOptions } from './write.options.js';

const ADVICE = 'this could be caused by an outdated mutating admission controller; please fix your requests';

/** Describes a write to the field manager, which records the owners of fields. */
export function managedWrite(
  served: ServedResource,
  subresource: string | undefined,
  { fieldManager, userAgent = '' }: WriteOptions,
): ManagedWrite {
  const { apiVersion, resource, custom, schema, strategy } = served;
  return {
    apiVersion,
    resource,
    custom,
    ...(schema && { schema }),
    ...(subresource && { subresource }),
    ignored: resetFields(served.storageKey, custom, strategy.statusSubresource, subresource),
    manager: fieldManager ?? prefixOf(userAgent),
    empty: () => ({ ...strategy.encode({ apiVersion, kind: resource.kind, metadata: {} }) }),
  };
}

/** Records the owners of the fields that a draft changes, if the object has recorded owners. */
export function trackFields(
  fields: FieldManager,
  served: ServedResource,
  draft: Draft,
  previous: KubeObject | undefined,
  subresource: string | undefined,
  options: WriteOptions,
): void {
  // The assignment of a pod to a node has no owner.
  if (subresource === 'binding') return;
  const { metadata } = draft;
  const isTracked = metadata.managedFields !== undefined || previous?.metadata.managedFields !== undefined;
  if (!isTracked && !fields.begins(previous === undefined, options.fieldManager)) return;
  const after = served.strategy.encode({ ...draft }, true);
  const managedFields = fields.update(
    previous as JsonObject | undefined,
    after,
    managedWrite(served, subresource, options),
  );
  if (managedFields) metadata.managedFields = managedFields;
  else delete metadata.managedFields;
}

/**
 * Restores the `managedFields` of a draft if admission plugins or webhooks made them unreadable.
 *
 * @param before the `managedFields` before admission
 */
export function restoreManagedFields(
  { metadata }: Draft,
  before: Draft['metadata']['managedFields'],
  warn: ((message: string) => void) | undefined,
): void {
  if (metadata.managedFields === before || !before || readManagedFields(metadata.managedFields ?? [])) return;
  metadata.managedFields = before;
  warn?.(`.metadata.managedFields was in an invalid state after admission; ${ADVICE}`);
}

/** Returns the name of a client without its version. */
function prefixOf(userAgent: string): string {
  let prefix = '';
  for (const character of userAgent.split('/')[0]!.replace(/\p{C}/gu, '')) {
    if (Buffer.byteLength(prefix + character) > MANAGER_LIMIT) break;
    prefix += character;
  }
  return prefix;
}
