import type { KubeObject, ObjectMeta } from './kube-object.js';
import { rejectPromise } from '../common/waiting.js';
import { isEmptyMap, type FieldPath } from './field-path.js';
import { deepCopy, getKey, isMap, serialized, setKey, type JsonMap } from './json.js';
import {
  NO_CONTENT,
  shows,
  type FieldTransformation,
  type PatchContent,
  type UnconfirmedChanges,
  type UnsentPatch,
} from './patch-content.js';

/** Changes the given copy of the newest object in place. Can be called more than once, if the object changes meanwhile. */
export type PatchTransformation<Spec = any, Status = any> = (body: KubeObject<Spec, Status>) => void;

/**
 * The changes of a part of an object: any of its fields with a new value, or with `null` to remove it. Maps are changed field by
 * field, lists as a whole. Of a part without a type, all fields can be written.
 *
 * @example
 * PatchFields<{ size: string; disks: string[] }> // { size?: string | null; disks?: string[] | null }
 */
export type PatchFields<Part> = 0 extends 1 & Part
  ? Record<string, any>
  : { -readonly [Field in keyof Part]?: PatchValue<Part[Field]> | null };

/** The new value of a field in a patch: the same type, but with all fields of maps optional. */
export type PatchValue<Value> = 0 extends 1 & Value
  ? any
  : Value extends readonly unknown[]
    ? Value
    : Value extends object
      ? PatchFields<Value>
      : Value;

/**
 * The changes that a handler wants in its object. They are sent after the handlers of the cycle, in one request where possible.
 *
 * The parts are plain objects to write into: `patch.status.phase = 'Ready'`, `patch.metadata.labels['a'] = null`.
 * A `null` removes the field; maps are merged, lists are replaced (RFC 7386).
 */
export interface Patch<Spec = any, Status = any> {
  readonly spec: PatchFields<Spec>;
  readonly status: PatchFields<Status>;
  readonly metadata: PatchMetadata;
  /** Same as `metadata`. */
  readonly meta: PatchMetadata;
  /** Merges any fields into the patch: `patch.merge({ data: { key: 'value' } })`. */
  merge(fields: Record<string, unknown>): void;
  /** Adds a change that cannot be expressed by merging (of a list's items, for example); sent as a JSON patch, retried on conflicts. */
  transform(transformation: PatchTransformation<Spec, Status>): void;
}

/** The metadata of a patch; `null` removes a field, a label, or an annotation. */
export interface PatchMetadata extends Partial<{ [Key in keyof Omit<ObjectMeta, 'labels' | 'annotations'>]: unknown }> {
  labels: Record<string, string | null>;
  annotations: Record<string, string | null>;
}

/**
 * Collects the changes of one object during a handling cycle: fields to merge, and transformations.
 *
 * The parts come into being when they are asked for, and count only when something is written into them.
 */
export class ResourcePatch implements Patch {
  private readonly fields: JsonMap = {};
  private readonly steps: FieldTransformation[] = [];
  private unsent?: UnsentPatch;

  /** @param unsent what an earlier patch could not send. */
  constructor(unsent?: UnsentPatch) {
    if (!unsent) return;
    this.unsent = unsent;
    this.add(unsent);
  }

  get spec(): Record<string, any> {
    return part(this.fields, 'spec');
  }

  get status(): Record<string, any> {
    return part(this.fields, 'status');
  }

  get metadata(): PatchMetadata {
    const metadata = part(this.fields, 'metadata');
    if (!Object.hasOwn(metadata, 'labels')) metadata.labels = {};
    part(metadata, 'annotations');
    return metadata as PatchMetadata;
  }

  get meta(): PatchMetadata {
    return this.metadata;
  }

  /** Tells whether there is nothing to send: neither fields nor transformations. */
  get isEmpty(): boolean {
    return this.steps.length === 0 && this.toMergePatch() === undefined;
  }

  /** The transformations in the order of their addition. */
  get transformations(): readonly PatchTransformation[] {
    return this.steps;
  }

  /** The changes of an earlier patch that may be stored already. */
  get unconfirmed(): UnconfirmedChanges | undefined {
    return this.unsent?.unconfirmed;
  }

  /** The transformations that the object needs: without those whose changes it shows already, as only their answer was lost. */
  transformationsFor(body: KubeObject): readonly FieldTransformation[] {
    const { unconfirmed, transformations = [] } = this.unsent ?? {};
    if (!unconfirmed || !shows(body, unconfirmed.changes)) return this.steps;
    return [...unconfirmed.rest, ...this.steps.filter((step) => !transformations.includes(step))];
  }

  /** A copy of the present content, which later changes of the patch do not affect. */
  snapshot(): PatchContent {
    const fields = this.toMergePatch();
    if (!fields && this.steps.length === 0) return NO_CONTENT;
    return { fields: copyOf(fields ?? {}) as JsonMap, transformations: [...this.steps] };
  }

  /** Adds the content of another patch. */
  add({ fields, transformations }: PatchContent): void {
    mergeInto(this.fields, fields);
    this.steps.push(...transformations);
  }

  /** Makes one patch of this one and another one, which wins where both change the same fields. */
  with(other: ResourcePatch): ResourcePatch {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    const both = new ResourcePatch();
    both.unsent = this.unsent;
    both.add(this.snapshot());
    both.add(other.snapshot());
    return both;
  }

  merge(fields: Record<string, unknown>): void {
    mergeInto(this.fields, fields);
  }

  transform(transformation: PatchTransformation): void {
    this.steps.push(transformation);
  }

  /** The fields as a merge patch (RFC 7386) without the parts that stayed empty, or `undefined` if all of them did. */
  toMergePatch(): Record<string, unknown> | undefined {
    let result: JsonMap | undefined;
    for (const key of Object.keys(this.fields)) {
      const value = key === 'metadata' ? withoutEmptyMaps(this.fields[key]) : this.fields[key];
      if (value === undefined || (isMap(value) && isEmptyMap(value))) continue;
      setKey((result ??= {}), key, value);
    }
    return result;
  }

  /** Forgets all changes; parts taken before do not belong to the patch anymore. */
  clear(): void {
    for (const key of Object.keys(this.fields)) delete this.fields[key];
    this.steps.length = 0;
  }
}

/**
 * Applies transformations to a copy of the object, which shares with the object what they do not concern.
 * The object itself stays as it is. An error of a transformation is passed on.
 */
export function transformed(body: KubeObject, transformations: readonly FieldTransformation[]): KubeObject {
  const copy = copyFor(body, transformations);
  applyTransformations(copy, transformations);
  return copy;
}

/** Limits transformations to what they do to the status: the rest of the object has their changes already. */
export function ofStatusOnly(transformations: readonly PatchTransformation[]): readonly FieldTransformation[] {
  return transformations.map((transformation) =>
    Object.assign(
      (body: KubeObject) => {
        const copy = deepCopy(body);
        applyTransformations(copy, [transformation]);
        if (copy.status === undefined) delete body.status;
        else body.status = copy.status;
      },
      { field: ['status'], origin: transformation },
    ),
  );
}

/**
 * Applies transformations to a copy of an object.
 *
 * @throws TypeError if one is asynchronous: what it changes after the patch was made would be lost.
 */
export function applyTransformations(copy: KubeObject, transformations: readonly PatchTransformation[]): void {
  for (const transformation of transformations) {
    rejectPromise(
      transformation(copy),
      'A transformation of a patch has returned a promise: await before patch.transform(), not in it.',
    );
  }
}

function copyFor(body: KubeObject, transformations: readonly FieldTransformation[]): KubeObject {
  const copy: JsonMap = { ...body };
  for (const { field } of transformations) {
    if (field === undefined || field.length === 0) return deepCopy(body);
    copyAlong(copy, field);
  }
  return copy as KubeObject;
}

function copyAlong(copy: JsonMap, field: FieldPath): void {
  let level = copy;
  for (const name of field.slice(0, -1)) {
    const inner = getKey(level, name);
    if (!isMap(inner)) return;
    setKey(level, name, { ...inner });
    level = level[name] as JsonMap;
  }
  const last = field[field.length - 1];
  if (Object.hasOwn(level, last)) setKey(level, last, deepCopy(level[last]));
}

function part(fields: JsonMap, name: string): JsonMap {
  const value = getKey(fields, name);
  return isMap(value) ? value : ((fields[name] = {}) as JsonMap);
}

function mergeInto(target: JsonMap, fields: Readonly<JsonMap>): void {
  for (const key of Object.keys(fields)) {
    const value = serialized(fields[key]);
    const present = getKey(target, key);
    if (isMap(value) && isMap(present)) mergeInto(present, value);
    else setKey(target, key, copyOf(value));
  }
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => copyOf(serialized(item)));
  if (!isMap(value)) return value;
  const copy: JsonMap = {};
  mergeInto(copy, value);
  return copy;
}

function withoutEmptyMaps(metadata: unknown): unknown {
  if (!isMap(metadata)) return metadata;
  const result: JsonMap = {};
  for (const key of Object.keys(metadata)) {
    const value = metadata[key];
    if (!isMap(value) || !isEmptyMap(value)) setKey(result, key, value);
  }
  return result;
}
