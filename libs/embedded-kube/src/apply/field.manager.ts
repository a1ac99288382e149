// apply: server-side apply. Who owns which field, what conflicts, and what an applied configuration makes of an object.
// Works on JSON and types only; reading, writing and trying again are the machinery's business.
// May import: common, errors, patching, resources, typed.

import { StatusError } from '../errors/status.error.js';
import type { Clock } from 'kube-common';
import { timestamp } from '../common/timestamps.js';
import { jsonEqual, type JsonObject } from '../common/json.values.js';
import { TypedSchema } from '../typed/typed.schema.js';
import { applyConflict, type FieldConflict } from './apply.conflict.js';
import { BuiltinTypes } from './builtin.type.js';
import { limitManagers } from './manager.limit.js';
import { checkedConfiguration, untypedObject } from './value.validation.js';
import { customType, type CustomSchema } from './custom.type.js';
import { CreationFields } from './creation.fields.js';
import { FieldSet } from './field.set.js';
import { FieldSetCache } from './field-set.cache.js';
import { CLIENT_SIDE_APPLY, KUBECTL, lastAppliedFields, withLastApplied } from './last.applied.js';
import {
  equalContents,
  managerKey,
  type Owners,
  readManagedFields,
  sameOwners,
  writeManagedFields,
  metadataOf,
  withManagedFields,
  withoutManagedFields,
} from './managed.fields.js';
import { type ManagedWrite, managerOf } from './managed.write.js';
import { UntypedValueError } from './list.items.js';
import { memberElement } from './path.element.js';
import { applyConfiguration, type Ground, updateOwners } from './ownership.js';
import type { ValueType } from './value.type.js';

/** The manager of the fields of an object that had no tracked owners until something was applied to it. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

const NO_OWNERS: Owners = new Map();

/** The fields that have no owners, as clients do not decide about them, or as they are the same for all. */
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

const METADATA = FieldSet.of([[memberElement('metadata')]]);

/** The options of field management. */
export interface FieldManagerOptions {
  /** Whether every writer is recorded; otherwise nothing is recorded of an object until something is applied to it. @default true */
  readonly tracksAll?: boolean;
}

/** The owners of the fields of objects, and server-side apply, which depends on them. */
export class FieldManager {
  private readonly builtins = new BuiltinTypes(new TypedSchema());
  /** The types of resources: of custom ones by their schemas. */
  private readonly types = new WeakMap<object, ValueType>();
  private readonly creations = new CreationFields();
  private readonly sets = new FieldSetCache();
  /** The fields that are not looked at when a write has changed an object, by those that its path does not change. */
  private readonly skipped = new WeakMap<FieldSet, FieldSet>();
  private readonly empties = new WeakMap<object, JsonObject>();
  private readonly tracksAll: boolean;
  private second = { time: Number.NaN, text: '' };

  constructor(
    private readonly clock: Clock,
    { tracksAll = true }: FieldManagerOptions = {},
  ) {
    this.tracksAll = tracksAll;
  }

  /** Whether a write of an object without recorded owners starts the recording. */
  begins(isCreation: boolean, manager: string | undefined): boolean {
    // When kubectl changes over to applying on the server, it takes over all fields of the manager of its annotation.
    return this.tracksAll ? isCreation : manager === CLIENT_SIDE_APPLY;
  }

  /**
   * Returns the `managedFields` of an object that is written by other means than applying.
   *
   * @param live the object as it is; `undefined` if it is created
   * @returns `undefined` if the object is not tracked, or if an item has an owner but no key
   */
  update(live: JsonObject | undefined, after: JsonObject, write: ManagedWrite): readonly object[] | undefined {
    try {
      return this.updatedFields(live, after, write);
    } catch (error) {
      if (error instanceof UntypedValueError) return undefined;
      throw error;
    }
  }

  private updatedFields(
    live: JsonObject | undefined,
    after: JsonObject,
    write: ManagedWrite,
  ): readonly object[] | undefined {
    const before = live ?? this.emptyOf(write);
    const entries = metadataOf(before)['managedFields'];
    const known = this.ownersOf(entries, metadataOf(after)['managedFields'], live === undefined, write);
    if (known.size === 0 && !this.begins(live === undefined, write.manager)) return undefined;
    const owners = known.size === 0 && live ? this.firstOwners(live, write) : known;
    if (!live && owners.size === 0) return this.created(before, after, write);
    const updated = limitManagers(this.updated(before, after, owners, write));
    if (updated.size === 0) return undefined;
    return Array.isArray(entries) && isUnchanged(updated, entries)
      ? entries
      : writeManagedFields(updated, this.sets, write.custom);
  }

  /**
   * Applies a configuration.
   *
   * @param object the object as it is; `undefined` if it is to be created
   * @param force whether fields are taken from others
   * @returns the object as it is to be, with its `managedFields`
   * @throws StatusError 400 for a wrong configuration, 409 for conflicts, 500 for one that does not fit the schema, or an object in which nothing identifies an item
   */
  apply(object: JsonObject | undefined, configuration: unknown, force: boolean, write: ManagedWrite): JsonObject {
    const live = object ?? write.empty();
    const config = checkedConfiguration(configuration, write, this.typeOf(write));
    const before = withoutManagedFields(live);
    const known = readManagedFields(metadataOf(live)['managedFields'] ?? [], this.sets);
    if (!known) throw new StatusError(500, '', 'failed to decode managed fields');
    try {
      return this.applied(before, known, config, force, write);
    } catch (error) {
      if (!(error instanceof UntypedValueError)) throw error;
      throw untypedObject(before, write, this.typeOf(write), known.size === 0);
    }
  }

  private applied(
    before: JsonObject,
    known: Owners,
    config: JsonObject,
    force: boolean,
    write: ManagedWrite,
  ): JsonObject {
    const ground = this.groundOf(write);
    const owners = known.size > 0 ? known : this.firstOwners(before, write);
    const application = applyConfiguration(before, config, owners, managerOf(write, 'Apply'), this.now(), ground);
    if (!force) {
      const refused = this.refusedConflicts(application.conflicts, before, write, ground.type);
      if (refused.length > 0) throw applyConflict(refused);
    }
    const merged = application.value ?? before;
    const result = write.manager === KUBECTL ? withLastApplied(merged, config) : merged;
    return withManagedFields(result as JsonObject, writeManagedFields(application.owners, this.sets, write.custom));
  }

  /** Checks whether a write changes nothing but the times of entries. */
  isNoChange(before: JsonObject, after: JsonObject): boolean {
    const old = metadataOf(before)['managedFields'];
    const next = metadataOf(after)['managedFields'];
    return equalContents(before, after) && (old === next || sameOwners(old, next, this.sets));
  }

  /** Returns the owners of an object whose owners were not recorded: one manager owns all of it. */
  private firstOwners(object: JsonObject, write: ManagedWrite): Owners {
    return this.updated(write.empty(), object, new Map(), { ...write, manager: BEFORE_FIRST_APPLY });
  }

  private updated(before: JsonObject, after: JsonObject, owners: Owners, write: ManagedWrite): Owners {
    return updateOwners(before, after, owners, managerOf(write, 'Update'), this.now(), this.groundOf(write));
  }

  /** Returns the entry of who creates an object. */
  private created(empty: JsonObject, object: JsonObject, write: ManagedWrite): object[] | undefined {
    const { type, skipped } = this.groundOf(write);
    const fields = this.creations.of(empty, object, type, skipped);
    if (fields.isEmpty) return undefined;
    const manager = managerOf(write, 'Update');
    return writeManagedFields(
      new Map([[managerKey(manager), { manager, fields, time: this.now() }]]),
      this.sets,
      write.custom,
    );
  }

  /** Takes the owners from the request, unless it has none that are usable. */
  private ownersOf(live: unknown, said: unknown, isCreation: boolean, { custom, subresource }: ManagedWrite): Owners {
    if (Array.isArray(said) && !subresource && said !== live) {
      const isReset = said.length === 0 ? !custom : said.length === 1 && jsonEqual(said[0], {});
      if (isReset) return NO_OWNERS;
      const isLive = !isCreation && jsonEqual(said, live);
      const owners = isLive ? undefined : readManagedFields(said, this.sets);
      if (owners && owners.size > 0) return owners;
    }
    return readManagedFields(live ?? [], this.sets) ?? NO_OWNERS;
  }

  /** Returns an empty object of the kind. */
  private emptyOf({ resource, empty }: ManagedWrite): JsonObject {
    let made = this.empties.get(resource);
    if (!made) this.empties.set(resource, (made = empty()));
    return made;
  }

  /** Returns the time in seconds, made once in each. */
  private now(): string {
    const time = Math.floor(this.clock.now() / 1000);
    if (time !== this.second.time) this.second = { time, text: timestamp(time * 1000) };
    return this.second.text;
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
    const { ignored } = write;
    let skipped = this.skipped.get(ignored);
    if (!skipped) this.skipped.set(ignored, (skipped = UNOWNED.difference(METADATA).union(ignored)));
    return { type: this.typeOf(write), ignored, unowned: UNOWNED, skipped };
  }

  /** Returns the type of a resource's objects, which decides how they are merged. */
  typeOf({ custom, schema = {}, resource }: Pick<ManagedWrite, 'custom' | 'schema' | 'resource'>): ValueType {
    const key = custom ? schema : resource;
    let type = this.types.get(key);
    if (!type) {
      type = custom ? customType(schema as CustomSchema) : this.builtins.ofKind(resource);
      this.types.set(key, type);
    }
    return type;
  }
}

/** Checks whether owners are those of entries, each of them. */
function isUnchanged(owners: Owners, entries: readonly unknown[]): boolean {
  if (owners.size !== entries.length) return false;
  let index = 0;
  for (const { entry } of owners.values()) if (entry === undefined || entry !== entries[index++]) return false;
  return true;
}
