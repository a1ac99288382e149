import { jsonEqual } from '../common/json.values.js';
import type { FieldConflict } from './apply.conflict.js';
import { FieldSet } from './field.set.js';
import { type Manager, managerKey, type Owners, type Ownership } from './managed.fields.js';
import { compareValues, type Comparison } from './value.comparison.js';
import { fieldsOf } from './value.fields.js';
import { mergeValues } from './value.merge.js';
import { removeFields } from './value.removal.js';
import type { ValueType } from './value.type.js';

/** The rules by which ownership is decided in one write. */
export interface Ground {
  /** The type of the object, which decides how it is merged. */
  readonly type: ValueType;
  /** The fields that a write through this path never changes. */
  readonly ignored: FieldSet;
  /** The fields without owners. */
  readonly unowned: FieldSet;
  /** Both of them, without fields that lie below others. */
  readonly skipped: FieldSet;
}

/** The result of an application. */
export interface Application {
  /** The merged object; `undefined` if nothing changed. */
  readonly value: unknown;
  readonly owners: Owners;
  /** The changed fields of other managers. */
  readonly conflicts: readonly FieldConflict[];
}

/** Adds the fields that a write changed to a manager, and removes them from all other managers. @returns the same owners if nothing changed */
export function updateOwners(
  before: unknown,
  after: unknown,
  owners: Owners,
  manager: Manager,
  time: string | undefined,
  ground: Ground,
): Owners {
  const comparison = compareValues(before, after, ground.type, ground.skipped);
  const { added, modified, removed } = comparison;
  if (added.isEmpty && modified.isEmpty && removed.isEmpty) return owners;
  const key = managerKey(manager);
  const own = owners.get(key)?.fields.difference(removed) ?? FieldSet.EMPTY;
  const { owners: rest } = disown(owners, key, comparison);
  const taken = modified.union(added);
  const fields = own.union(taken);
  if (fields.isEmpty) rest.delete(key);
  else if (!taken.isEmpty) rest.set(key, { manager, fields, ...(time !== undefined && { time }) });
  else if (fields !== owners.get(key)!.fields) rest.set(key, withFields(owners.get(key)!, fields));
  return rest;
}

/** Merges what a manager applies into an object, and removes what it applied before, unless it has another owner. */
export function applyConfiguration(
  live: unknown,
  configuration: unknown,
  owners: Owners,
  manager: Manager,
  time: string,
  ground: Ground,
): Application {
  const key = managerKey(manager);
  const last = owners.get(key);
  const fields = fieldsOf(configuration, ground.type).outside(ground.ignored);
  const own: Ownership = { manager, fields, ...(last?.time !== undefined && { time: last.time }) };
  const claimed = new Map(owners).set(key, own);
  const merged = mergeValues(live, configuration, ground.type);
  const value = last ? prune(merged, last.fields, claimed, ground.type) : merged;
  const { owners: rest, conflicts } = disown(claimed, key, compare(live, value, ground));
  const changed = !jsonEqual(live, value);
  const kept = new Map(rest);
  const owned = fields.difference(ground.unowned);
  if (owned.isEmpty) kept.delete(key);
  else if (!changed && last && last.manager.apiVersion === manager.apiVersion && last.fields.equals(owned)) {
    kept.set(key, last);
  } else kept.set(key, { ...own, fields: owned, ...(changed && { time }) });
  return { value: changed ? value : undefined, owners: kept, conflicts };
}

function compare(before: unknown, after: unknown, { type, ignored }: Ground): Comparison {
  const { added, removed, modified } = compareValues(before, after, type);
  return { added: added.outside(ignored), removed: removed.outside(ignored), modified: modified.outside(ignored) };
}

/** Removes changed fields from the sets of all managers but one. */
function disown(
  owners: Owners,
  except: string | undefined,
  { added, modified, removed }: Comparison,
): { owners: Map<string, Ownership>; conflicts: FieldConflict[] } {
  const changed = modified.union(added);
  const isRemoval = !removed.isEmpty;
  const conflicts: FieldConflict[] = [];
  const rest = new Map<string, Ownership>();
  for (const [key, ownership] of owners) {
    const { manager, fields } = ownership;
    if (key === except) {
      rest.set(key, ownership);
      continue;
    }
    const lost = fields.intersection(changed);
    if (!lost.isEmpty) conflicts.push({ manager, fields: lost });
    const kept = lost.isEmpty ? fields : fields.difference(lost);
    const left = isRemoval ? kept.difference(removed) : kept;
    if (!left.isEmpty) rest.set(key, left === fields ? ownership : withFields(ownership, left));
  }
  return { owners: rest, conflicts };
}

function withFields({ manager, time }: Ownership, fields: FieldSet): Ownership {
  return { manager, fields, ...(time !== undefined && { time }) };
}

/** Removes what was applied last time, but for what has an owner now. */
function prune(merged: unknown, last: FieldSet, owners: Owners, type: ValueType): unknown {
  const named = (fields: FieldSet): FieldSet => fields.withNamedFields(type);
  const present = named(fieldsOf(merged, type));
  const pruned = removeFields(merged, named(last), type);
  let owned = FieldSet.EMPTY;
  for (const { fields } of owners.values()) owned = owned.union(fields);
  const kept = named(fieldsOf(pruned, type)).union(named(owned));
  const restored = removeFields(merged, present.difference(kept), type);
  // What stood inside of something that went, and was never applied, does not go with it.
  const gone = present.difference(named(fieldsOf(restored, type))).intersection(named(last));
  return removeFields(merged, gone, type);
}
