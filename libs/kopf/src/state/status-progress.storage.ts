import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import { type Essence, dropEmptyParts } from '../objects/essences.js';
import {
  type ProgressRecord,
  type ProgressStorage,
  removeFromPatch,
  setInPatch,
  parseStorageField,
  type StatusStorageOptions,
} from './storages.js';
import { removeField, resolveField, type FieldPath, type FieldSpec } from '../objects/field-path.js';
import { getKey, isMap } from 'kube-common';
import { completeRecord } from './progress-records.js';

/** The options of {@link StatusProgressStorage}. */
export interface StatusProgressStorageOptions extends StatusStorageOptions {
  /** The field with the records by the ids of their handlers. @default status.\{name\}.progress */
  field?: FieldSpec;
  /** The field of touches: changes without a meaning. @default status.\{name\}.dummy */
  touchField?: FieldSpec;
}

/**
 * The storage of the progress of handlers in the status: `status.kopf.progress.{id}`.
 *
 * The schema of the resource must have these fields, or `x-kubernetes-preserve-unknown-fields`. Records are written with all members, so
 * that a merge patch removes the members of an earlier record.
 */
export class StatusProgressStorage implements ProgressStorage {
  private readonly field: FieldPath;
  private readonly touchField: FieldPath;

  /** @throws TypeError if a field is not inside of the status (or of the spec, or of the metadata). */
  constructor({
    name = 'kopf',
    field = 'status.{name}.progress',
    touchField = 'status.{name}.dummy',
  }: StatusProgressStorageOptions = {}) {
    this.field = parseStorageField(field, name);
    this.touchField = parseStorageField(touchField, name);
  }

  fetch(key: string, body: KubeObject): ProgressRecord | undefined {
    const records = resolveField(body, this.field);
    const record = isMap(records) ? getKey(records, key) : undefined;
    return isMap(record) ? (record as ProgressRecord) : undefined;
  }

  store(key: string, record: ProgressRecord, _body: KubeObject, patch: Patch): void {
    // Python Kopf cannot remove a member from the status that it does not know: it would try in each cycle, and wait for an event that does
    // not come.
    const { traceparent: _, ...known } = completeRecord(record);
    setInPatch(patch, [...this.field, key], known);
  }

  purge(key: string, body: KubeObject, patch: Patch): void {
    const path = [...this.field, key];
    if (resolveField(body, path) !== undefined) setInPatch(patch, path, null);
    else removeFromPatch(patch, path);
  }

  touch(value: string | null, body: KubeObject, patch: Patch): void {
    if ((resolveField(body, this.touchField) ?? null) !== value) setInPatch(patch, this.touchField, value);
  }

  ownFields(): readonly FieldPath[] {
    return [this.field, this.touchField];
  }

  clear(essence: Essence): Essence {
    removeField(essence, this.field);
    dropEmptyParts(essence);
    return essence;
  }
}
