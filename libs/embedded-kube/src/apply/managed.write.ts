import type { JsonObject } from '../common/json.values.js';
import type { FieldSet } from './field.set.js';
import type { Manager } from './managed.fields.js';

/** A write, and the path of its request. */
export interface ManagedWrite {
  readonly apiVersion: string;
  readonly resource: { readonly group: string; readonly version: string; readonly kind: string };
  readonly custom: boolean;
  readonly schema?: object;
  readonly subresource?: string;
  /** The fields that a write through this path does not change. */
  readonly ignored: FieldSet;
  /** The manager that writes. */
  readonly manager: string;
  /** Makes an empty object of the kind. */
  readonly empty: () => JsonObject;
}

/** Returns the manager of a write. */
export function managerOf(
  { manager, apiVersion, subresource }: ManagedWrite,
  operation: Manager['operation'],
): Manager {
  return { name: manager || 'unknown', operation, apiVersion, ...(subresource && { subresource }) };
}
