import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import { type Essence, buildEssence } from '../objects/essences.js';
import {
  type DiffBaseStorage,
  setInPatch,
  parseStorageField,
  type StatusStorageOptions,
  type WarningCallback,
} from './storages.js';
import { parseFieldPath, removeField, resolveField, type FieldPath, type FieldSpec } from '../objects/field-path.js';
import { decodeState, encodeState } from './state-encoding.js';

/** The options of {@link StatusDiffBaseStorage}. */
export interface StatusDiffBaseStorageOptions extends StatusStorageOptions {
  /** The field with the essence. @default status.\{name\}.last-handled-configuration */
  field?: FieldSpec;
  /** The fields whose changes are not essential, in addition to system fields and the status. @default none */
  ignoredFields?: readonly FieldSpec[];
  /** Called when the stored essence is unreadable. @default nothing */
  onWarning?: WarningCallback;
}

/**
 * The storage of the last handled essence in the status, as a string of compact JSON: `status.kopf.last-handled-configuration`.
 *
 * The schema of the resource must have this field, or `x-kubernetes-preserve-unknown-fields`. An unreadable field counts as absent: the
 * object is handled as created.
 */
export class StatusDiffBaseStorage implements DiffBaseStorage {
  private readonly field: FieldPath;
  private readonly ignoredFields: readonly FieldPath[];
  private readonly onWarning?: WarningCallback;

  /** @throws TypeError if the field is not inside of the status (or of the spec, or of the metadata). */
  constructor({
    name = 'kopf',
    field = 'status.{name}.last-handled-configuration',
    ignoredFields = [],
    onWarning,
  }: StatusDiffBaseStorageOptions = {}) {
    this.field = parseStorageField(field, name);
    this.ignoredFields = ignoredFields.map(parseFieldPath);
    this.onWarning = onWarning;
  }

  build(body: KubeObject, extraFields: readonly FieldPath[]): Essence {
    const essence = buildEssence(body, extraFields, this.ignoredFields);
    removeField(essence, this.field);
    return essence;
  }

  fetch(body: KubeObject): Essence | undefined {
    return decodeState(resolveField(body, this.field), this.field.join('.'), body, this.onWarning);
  }

  ownFields(): readonly FieldPath[] {
    return [this.field];
  }

  store(_body: KubeObject, patch: Patch, essence: Essence): void {
    setInPatch(patch, this.field, encodeState(essence));
  }
}
