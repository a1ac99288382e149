import type { JsonObject } from '../common/json.values.js';
import { FieldSet } from './field.set.js';
import { type Owners, type Ownership, managerKey, readManagedFields, writeManagedFields } from './managed.fields.js';
import { memberElement } from './path.element.js';

const SCALE_VERSION = 'autoscaling/v1';
const REPLICAS = FieldSet.of([['spec', 'replicas'].map(memberElement)]);

/** The path of an object's number of replicas, and the version in which its fields are named. */
export interface ReplicasField {
  readonly path: readonly string[];
  readonly apiVersion: string;
  readonly custom: boolean;
}

/** Returns the owners of an object's number of replicas as owners of the same field of its scale. */
export function scaleOwners(entries: unknown, { path }: ReplicasField): object[] {
  const field = FieldSet.of([path.map(memberElement)]);
  const owners = [...(readManagedFields(entries ?? []) ?? [])].flatMap(([key, { manager, fields, time }]) => {
    if (fields.intersection(field).isEmpty) return [];
    const owner: Ownership = {
      manager: { ...manager, apiVersion: SCALE_VERSION },
      fields: REPLICAS,
      ...(time !== undefined && { time }),
    };
    return [[key, owner] as const];
  });
  return writeManagedFields(new Map(owners));
}

/**
 * Returns the owners of an object after its scale was applied: managers that do not own the number of replicas any more lose it, those that
 * own it now get it.
 */
export function ownersWithScale(entries: unknown, scaleEntries: unknown, replicas: ReplicasField): JsonObject[] {
  const field = FieldSet.of([replicas.path.map(memberElement)]);
  const before = readManagedFields(entries ?? []) ?? (new Map() as Owners);
  const ofScale = new Map(readManagedFields(scaleEntries ?? []) ?? []);
  const after = new Map<string, Ownership>();
  for (const [key, owner] of before) {
    if (owner.fields.intersection(field).isEmpty || ofScale.delete(key)) {
      after.set(key, owner);
      continue;
    }
    const { entry: _, ...rest } = owner;
    const fields = owner.fields.difference(field);
    if (!fields.isEmpty) after.set(key, { ...rest, fields });
  }
  for (const { manager, fields } of ofScale.values()) {
    if (fields.intersection(REPLICAS).isEmpty) continue;
    // The real server has no time for who is new to the object.
    const time = before.get(managerKey(manager))?.time;
    const owner = { manager: { ...manager, apiVersion: replicas.apiVersion }, fields: field };
    after.set(managerKey(manager), { ...owner, ...(time !== undefined && { time }) });
  }
  return writeManagedFields(after, undefined, replicas.custom) as JsonObject[];
}
