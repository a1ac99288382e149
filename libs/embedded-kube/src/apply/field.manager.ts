// apply: server-side apply. Who owns which field, what conflicts, and what an applied configuration makes of an object.
// Works on JSON and types only; reading, writing and trying again are the machinery's business.
// May import: common, errors, patching, resources, typed.

import { StatusError } from '../errors/status.error.js';
import type { Clock } from '../common/clock.js';
import { timestamp } from '../common/timestamps.js';
import { jsonEqual, type JsonObject } from '../common/json.values.js';
import { TypedSchema } from '../typed/typed.schema.js';
import { applyConflict, type FieldConflict } from './apply.conflict.js';
import { BuiltinTypes } from './builtin.type.js';
import { limitManagers } from './manager.limit.js';
import { checkedConfiguration } from './value.validation.js';
import { customType, type MergeSchema } from './custom.type.js';
import { FieldSet } from './field.set.js';
import { CLIENT_SIDE_APPLY, KUBECTL, lastAppliedFields, withLastApplied } from './last.applied.js';
import {
  type Owners,
  readManagedFields,
  sameOwners,
  writeManagedFields,
  metadataOf,
  withManagedFields,
  withoutManagedFields,
} from './managed.fields.js';
import { type ManagedWrite, managerOf } from './managed.write.js';
import { memberElement } from './path.element.js';
import { applyConfiguration, type Ground, updateOwners } from './ownership.js';
import type { ValueType } from './value.type.js';

/** Owns the fields of an object that had no tracked owners until something was applied to it. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** Lists the fields that have no owners, as clients do not decide about them, or as they are the same for all. */
const UNOWNED = FieldSet.of([
  [memberElement('apiVersion')],
  [memberElement('kind')],
  [memberElement('metadata')],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => [memberElement('metadata'), memberElement(name)]),
]);

/** Keeps account of who owns which fields of objects to which something was applied, and applies. Leaves all other objects alone. */
export class FieldManager {
  private readonly builtins = new BuiltinTypes(new TypedSchema());
  /** The types of custom resources, by their schemas. */
  private readonly customs = new WeakMap<object, ValueType>();

  constructor(private readonly clock: Clock) {}

  /**
   * The `managedFields` of an object that is written by other means than applying.
   *
   * @param live the object as it is; `undefined` if it is created
   * @returns `undefined` if the object is not tracked
   */
  update(live: JsonObject | undefined, after: JsonObject, write: ManagedWrite): readonly object[] | undefined {
    const before = live ?? write.empty();
    const known = this.ownersOf(before, after, write);
    if (!known || (known.size === 0 && !beginsAccount(write))) return undefined;
    const owners = known.size === 0 && live ? this.firstOwners(withoutManagedFields(live), write) : known;
    if (write.only && !isOwned(owners, write.only)) return writeManagedFields(owners);
    const updated = limitManagers(this.updated(before, after, owners, write));
    return updated.size > 0 ? writeManagedFields(updated) : undefined;
  }

  /**
   * Applies a configuration.
   *
   * @param object the object as it is; `undefined` if it is to be created
   * @param force whether fields are taken from others
   * @returns the object as it is to be, with its `managedFields`
   * @throws StatusError 400 for a wrong configuration, 409 for conflicts, 500 for one that does not fit the schema
   */
  apply(object: JsonObject | undefined, configuration: unknown, force: boolean, write: ManagedWrite): JsonObject {
    const live = object ?? write.empty();
    const config = checkedConfiguration(configuration, write, this.typeOf(write));
    const ground = this.groundOf(write);
    const before = withoutManagedFields(live);
    const known = readManagedFields(metadataOf(live)['managedFields'] ?? []);
    if (!known) throw new StatusError(500, '', 'failed to decode managed fields');
    const owners = known.size > 0 ? known : this.firstOwners(before, write);
    const application = applyConfiguration(
      before,
      config,
      owners,
      managerOf(write, 'Apply'),
      timestamp(this.clock.now()),
      ground,
    );
    if (!force) {
      const refused = this.refusedConflicts(application.conflicts, before, write, ground.type);
      if (refused.length > 0) throw applyConflict(refused);
    }
    const merged = application.value ?? before;
    const result = write.manager === KUBECTL ? withLastApplied(merged, config) : merged;
    return withManagedFields(result as JsonObject, writeManagedFields(application.owners));
  }

  /** Checks whether a write changes nothing but the times of entries. */
  isNoChange(before: JsonObject, after: JsonObject): boolean {
    const [old, next] = [metadataOf(before)['managedFields'], metadataOf(after)['managedFields']];
    return sameOwners(old, next) && jsonEqual(withoutManagedFields(before), withoutManagedFields(after));
  }

  /** The owners of an object that nobody kept account of: all of it is of before. */
  private firstOwners(object: JsonObject, write: ManagedWrite): Owners {
    return this.updated(write.empty(), object, new Map(), { ...write, manager: BEFORE_FIRST_APPLY });
  }

  private updated(before: JsonObject, after: JsonObject, owners: Owners, write: ManagedWrite): Owners {
    const [old, next] = [withoutManagedFields(before), withoutManagedFields(after)];
    // Who writes through another kind has no time in the real server's account, either.
    const time = write.only ? undefined : timestamp(this.clock.now());
    return updateOwners(old, next, owners, managerOf(write, 'Update'), time, this.groundOf(write));
  }

  /** Takes the owners from the request, unless it has none that are usable. */
  private ownersOf(before: JsonObject, after: JsonObject, { custom, subresource }: ManagedWrite): Owners | undefined {
    const live = readManagedFields(metadataOf(before)['managedFields'] ?? []);
    const said = metadataOf(after)['managedFields'];
    if (subresource || !Array.isArray(said)) return live;
    const isReset = said.length === 0 ? !custom : said.length === 1 && jsonEqual(said[0], {});
    if (isReset) return undefined;
    const owners = readManagedFields(said);
    return owners && owners.size > 0 ? owners : live;
  }

  private refusedConflicts(
    conflicts: readonly FieldConflict[],
    live: JsonObject,
    { manager: name, apiVersion }: ManagedWrite,
    type: ValueType,
  ): FieldConflict[] {
    if (name !== KUBECTL || conflicts.length === 0) return [...conflicts];
    const allowed = lastAppliedFields(live, apiVersion, type);
    return conflicts
      .map(({ manager, fields }) => ({ manager, fields: fields.difference(allowed) }))
      .filter(({ fields }) => !fields.isEmpty);
  }

  private groundOf(write: ManagedWrite): Ground {
    const ignored = FieldSet.of(write.ignored.map((name) => [memberElement(name)]));
    return { type: this.typeOf(write), ignored, unowned: UNOWNED };
  }

  /** The type of a resource's objects, which says how they are merged. */
  typeOf({ custom, schema = {}, resource }: Pick<ManagedWrite, 'custom' | 'schema' | 'resource'>): ValueType {
    if (!custom) return this.builtins.ofKind(resource);
    let type = this.customs.get(schema);
    if (!type) this.customs.set(schema, (type = customType(schema as MergeSchema)));
    return type;
  }
}

/**
 * Checks whether a write begins the account of an object. kubectl's does: when it changes over to applying on the server, it takes over
 * all fields of whoever owns its annotation, and removes those that it does not apply.
 */
export function beginsAccount({ manager }: Pick<ManagedWrite, 'manager'>): boolean {
  return manager === CLIENT_SIDE_APPLY;
}

function isOwned(owners: Owners, names: readonly string[]): boolean {
  const field = FieldSet.of([names.map(memberElement)]);
  return [...owners.values()].some(({ fields }) => !fields.intersection(field).isEmpty);
}
