import { type ObjectDiff, diff } from './diffs.js';
import type { KubeObject } from './kube-object.js';
import { isEmptyMap, resolveField, type FieldPath } from './field-path.js';
import { deepEqual, getKey, isMap, type JsonMap, setKey } from 'kube-common';

/**
 * A function that changes the given copy of the newest object in place. It can be called more than once, if the object changes before the
 * patch is stored.
 */
export type PatchTransformation<Spec = any, Status = any> = (body: KubeObject<Spec, Status>) => void;

/** A transformation that promises to change nothing but one field, so that only this field is copied for it. */
export type FieldTransformation = PatchTransformation & {
  readonly field?: FieldPath;
  /**
   * Whether each event cycle decides again if the transformation is needed, so that it is not sent later if it cannot be sent now. @default
   * false
   */
  readonly isDecidedAnew?: boolean;
  /** The transformation that it was made of. */
  readonly origin?: PatchTransformation;
};

/** The content of a patch: fields to merge, and transformations. */
export interface PatchContent {
  readonly fields: Readonly<JsonMap>;
  readonly transformations: readonly FieldTransformation[];
}

/** Changes of transformations that the API server may have stored, although its answer was lost. */
export interface UnconfirmedChanges {
  readonly changes: ObjectDiff;
  /** The version for which the changes were computed: only newer ones show whether they are stored. */
  readonly version: string | undefined;
  /** The transformations that have made the changes. */
  readonly transformations: readonly FieldTransformation[];
  /** The transformations that are still needed if the changes turn out to be stored. */
  readonly rest: readonly FieldTransformation[];
}

/** The part of a patch that could not be sent; it is sent with the next patch. */
export interface UnsentPatch extends PatchContent {
  readonly unconfirmed?: readonly UnconfirmedChanges[];
}

/** The content of empty patches, shared. */
export const NO_CONTENT: PatchContent = Object.freeze({ fields: Object.freeze({}), transformations: [] });

/** Checks whether there is anything to send. */
export function hasContent({ fields, transformations }: PatchContent): boolean {
  return transformations.length > 0 || !isEmptyMap(fields);
}

/** Returns what a patch contains beyond what it contained before. */
export function addedContent(before: PatchContent, after: PatchContent): PatchContent {
  return {
    fields: addedFields(before.fields, after.fields),
    transformations: after.transformations.filter((step) => !before.transformations.includes(step)),
  };
}

/** Returns the part of a content that is also in a part of its patch, such as the part that could not be sent. */
export function contentWithin({ fields, transformations }: PatchContent, part: PatchContent): PatchContent {
  const own = new Set<unknown>(transformations);
  return {
    fields: fieldsWithin(fields, part.fields),
    transformations: part.transformations.filter((step) => own.has(step) || own.has(step.origin)),
  };
}

/** Returns the fields that undo the merging of other fields into a value: their values before, and `null` for fields that were absent. */
export function revertedFields(fields: Readonly<JsonMap>, before: unknown): JsonMap {
  const reverted: JsonMap = {};
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    const earlier = isMap(before) ? getKey(before, key) : undefined;
    setKey(reverted, key, isMap(value) && isMap(earlier) ? revertedFields(value, earlier) : (earlier ?? null));
  }
  return reverted;
}

/** Returns the fields that undo the merging of other fields into an object, one by one: changes that are merged beside them stay. */
export function undoneFields(fields: Readonly<JsonMap>, before: unknown): JsonMap {
  const undone: JsonMap = {};
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    const earlier = isMap(before) ? getKey(before, key) : undefined;
    setKey(undone, key, isMap(value) ? undoneFields(value, earlier) : (earlier ?? null));
  }
  return undone;
}

/** Checks whether the object shows all of the changes. */
export function shows(body: KubeObject, changes: ObjectDiff): boolean {
  return changes.every(([, path, , value]) => diff(resolveField(body, path), value).length === 0);
}

/**
 * Returns the transformations that an object still needs: without those whose changes it shows already, which only the answer did not
 * confirm.
 */
export function pendingTransformations(
  transformations: readonly FieldTransformation[],
  unconfirmed: readonly UnconfirmedChanges[],
  body: KubeObject,
): readonly FieldTransformation[] {
  return unconfirmed.reduce((pending, { changes, transformations: sent, rest }) => {
    const stored = pending.filter((step) => sent.includes(step));
    if (stored.length === 0 || !shows(body, changes)) return pending;
    const left = rest.filter((step) => stored.includes(step) || stored.includes(step.origin as FieldTransformation));
    return [...left, ...pending.filter((step) => !sent.includes(step))];
  }, transformations);
}

function fieldsWithin(fields: JsonMap, part: JsonMap): JsonMap {
  const found: JsonMap = {};
  for (const key of Object.keys(fields)) {
    if (!Object.hasOwn(part, key)) continue;
    const [own, other] = [fields[key], part[key]];
    const inner = isMap(own) && isMap(other) && !isEmptyMap(own) ? fieldsWithin(own, other) : own;
    if (!isMap(inner) || !isEmptyMap(inner) || isEmptyMap(own as JsonMap)) setKey(found, key, inner);
  }
  return found;
}

function addedFields(before: JsonMap, after: JsonMap): JsonMap {
  const added: JsonMap = {};
  for (const key of Object.keys(after)) {
    const earlier = getKey(before, key);
    const later = after[key];
    if (isMap(earlier) && isMap(later)) {
      const inner = addedFields(earlier, later);
      if (!isEmptyMap(inner)) setKey(added, key, inner);
    } else if (!deepEqual(earlier, later)) setKey(added, key, later);
  }
  return added;
}
