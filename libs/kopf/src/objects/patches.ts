import type { KubeObject, ObjectMeta } from './kube-object.js';
import { errorText, getKey, isMap, type JsonMap, serialized, setKey } from 'kube-common';
import { isEmptyMap } from './field-path.js';
import { toJsonValue, toPlace } from './json-values.js';
import { changesGenerationOnly } from './observed-generation.js';
import {
  NO_CONTENT,
  pendingTransformations,
  type FieldTransformation,
  type PatchContent,
  type UnconfirmedChanges,
  type UnsentPatch,
  type PatchTransformation,
} from './patch-content.js';

/**
 * The changes of a part of an object: any of its fields with a new value, or with `null` to remove it. Maps are changed field by field,
 * lists as a whole. If the part has no type, all fields can be written.
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
 * The parts are plain objects to write into: `patch.status.phase = 'Ready'`, `patch.metadata.labels['a'] = null`. A `null` removes the
 * field; maps are merged, lists are replaced (RFC 7386). Values are sent as JSON has them: dates as texts, without undefined fields. Values
 * that JSON cannot represent, such as `NaN`, functions, and maps, are not sent, and the attempt of the handler fails.
 */
export interface Patch<Spec = any, Status = any> {
  readonly spec: PatchFields<Spec>;
  readonly status: PatchFields<Status>;
  readonly metadata: PatchMetadata;
  /** The same as `metadata`. */
  readonly meta: PatchMetadata;
  /**
   * Merges any fields into the patch: `patch.merge({ data: { key: 'value' } })`.
   *
   * @throws TypeError if the fields are no map, or JSON cannot represent them.
   */
  merge(fields: Record<string, unknown>): void;
  /**
   * Adds a change that cannot be expressed by merging (of a list's items, for example); sent as a JSON patch, retried on conflicts.
   *
   * @throws TypeError if the transformation is no function.
   */
  transform(transformation: PatchTransformation<Spec, Status>): void;
}

/** The metadata of a patch; `null` removes a field, a label, or an annotation. */
export interface PatchMetadata extends Partial<{ [Key in keyof Omit<ObjectMeta, 'labels' | 'annotations'>]: unknown }> {
  labels: Record<string, string | null>;
  annotations: Record<string, string | null>;
}

/**
 * The changes of one object during an event cycle: fields to merge, and transformations.
 *
 * The parts are created when they are first read, and are sent only if something is written into them.
 */
export class ResourcePatch implements Patch {
  private readonly fields: JsonMap = {};
  private readonly steps: FieldTransformation[] = [];
  private unsent?: UnsentPatch;
  /**
   * The maps that were created here. Maps that handlers have put into the patch may be used elsewhere, and are copied before they are
   * changed.
   */
  private own?: object[];

  /** @param unsent the part of an earlier patch that could not be sent. */
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
    if (!Object.hasOwn(metadata, 'labels')) metadata.labels = this.create();
    if (!isMap(metadata.annotations)) metadata.annotations = this.create();
    return metadata as PatchMetadata;
  }

  get meta(): PatchMetadata {
    return this.metadata;
  }

  /** Whether there is nothing to send: neither fields nor transformations. */
  get isEmpty(): boolean {
    return this.steps.length === 0 && !this.hasFields;
  }

  /** Whether there are fields to merge. */
  get hasFields(): boolean {
    for (const key in this.fields) if (isContent(key, this.fields[key])) return true;
    return false;
  }

  /** The transformations in the order of their addition. */
  get transformations(): readonly PatchTransformation[] {
    return this.steps;
  }

  /** The changes of an earlier patch that may be stored already. */
  get unconfirmed(): readonly UnconfirmedChanges[] {
    return this.unsent?.unconfirmed ?? [];
  }

  /**
   * Returns the transformations that the object needs: without those whose changes it shows already, which only the answer did not confirm.
   */
  transformationsFor(body: KubeObject): readonly FieldTransformation[] {
    return pendingTransformations(this.steps, this.unconfirmed, body);
  }

  /** Copies the current content, which later changes of the patch do not affect. */
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

  /** Merges this patch with another one, which wins where both change the same fields. */
  with(other: ResourcePatch): ResourcePatch {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    const both = new ResourcePatch();
    both.unsent = this.unsent;
    for (const patch of [this, other]) both.add({ fields: patch.toMergePatch() ?? {}, transformations: patch.steps });
    return both;
  }

  merge(fields: Record<string, unknown>): void {
    if (!isMap(fields)) throw new TypeError('patch.merge() takes a map of fields.');
    toJsonValue(fields, 'patch');
    mergeInto(this.fields, fields);
  }

  transform(transformation: PatchTransformation): void {
    if (typeof transformation !== 'function') throw new TypeError('patch.transform() takes a function.');
    this.steps.push(transformation);
  }

  /**
   * Converts to JSON what was written into the patch since the last call, and removes the fields that cannot be converted. Called when a
   * handler has ended, so that a value that cannot be sent is a failure of this handler.
   *
   * @throws TypeError that names the removed fields.
   */
  settle(): void {
    const problems = this.settleFields(this.fields, []);
    if (problems) throw new TypeError(`The patch cannot be sent: ${problems.join('; ')}.`);
  }

  private create(): JsonMap {
    const map: JsonMap = {};
    (this.own ??= []).push(map);
    return map;
  }

  /** Converts each field of a map to JSON in place, or removes it. Returns the violations of the removed fields. */
  private settleFields(map: JsonMap, path: readonly string[]): readonly string[] | undefined {
    let problems: string[] | undefined;
    for (const name in map) {
      if (isSettled(map[name], path)) continue;
      const found = this.settleField(map, name, [...path, name]);
      if (found) (problems ??= []).push(...found);
    }
    return problems;
  }

  private settleField(map: JsonMap, name: string, path: readonly string[]): readonly string[] | undefined {
    const value = getKey(map, name);
    try {
      if (isPart(value, path)) return this.settleFields(path.length > 1 ? this.adopt(map, name, value) : value, path);
      const settled = toJsonValue(value, 'patch', path);
      if (settled === undefined) delete map[name];
      else checkKind(settled, path);
      if (settled !== undefined && settled !== value) setKey(map, name, settled);
      return undefined;
    } catch (error) {
      delete map[name];
      return [errorText(error)];
    }
  }

  /** Copies labels and annotations that a handler has put into the patch as a whole, as they will be changed. */
  private adopt(metadata: JsonMap, name: string, map: JsonMap): JsonMap {
    if (this.own?.includes(map)) return map;
    return (metadata[name] = Object.assign(this.create(), map));
  }

  /**
   * Removes the status from the fields if only observed generations would change. For kinds whose generation is raised by writes of the
   * status, where each write would lead to another one.
   */
  ignoreGeneration(body: KubeObject): void {
    const { metadata: _, ...fields } = this.fields;
    if (isMap(fields.status) && changesGenerationOnly(fields, body)) delete this.fields.status;
  }

  /** Returns the fields as a merge patch (RFC 7386) without empty parts; `undefined` if all parts are empty. */
  toMergePatch(): Record<string, unknown> | undefined {
    let result: JsonMap | undefined;
    for (const key in this.fields) {
      if (!isContent(key, this.fields[key])) continue;
      const value = key === 'metadata' ? withoutEmptyMaps(this.fields[key]) : this.fields[key];
      setKey((result ??= {}), key, value);
    }
    return result;
  }

  /** Removes all changes; parts that were read before do not belong to the patch any more. */
  clear(): void {
    for (const key of Object.keys(this.fields)) delete this.fields[key];
    this.steps.length = 0;
  }
}

function part(fields: JsonMap, name: string): JsonMap {
  const value = getKey(fields, name);
  return isMap(value) ? value : ((fields[name] = {}) as JsonMap);
}

/** Checks whether a part of a patch is more than an empty map, or a map of empty maps. */
function isContent(key: string, value: unknown): boolean {
  if (!isMap(value)) return value !== undefined;
  if (key !== 'metadata') return !isEmptyMap(value);
  for (const name in value) if (!isMap(value[name]) || !isEmptyMap(value[name])) return true;
  return false;
}

/** Checks whether a value can be sent as it is, at any place in that part: nearly all values are texts. */
function isSettled(value: unknown, path: readonly string[]): boolean {
  return typeof value === 'string' && path.length > 0 && (path[0] !== 'metadata' || path.length === 2);
}

/** The maps in a patch whose fields are settled one by one, so that an invalid one does not prevent the others from being sent. */
const LABELED = new Set(['labels', 'annotations']);

function isPart(value: unknown, path: readonly string[]): value is JsonMap {
  const isOfParts = path.length === 1 || (path.length === 2 && path[0] === 'metadata' && LABELED.has(path[1]));
  return isOfParts && isMap(value) && Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value);
}

/** Rejects values that no API server accepts, whatever the kind of the object, as its answer does not always explain the reason. */
function checkKind(value: unknown, path: readonly string[]): void {
  const [part, field] = path;
  if (path.length === 1) {
    // The status can be removed, as long as nothing is to be written into it.
    if (part === 'metadata' || (part === 'status' && value !== null)) demand(isMap(value), path, 'a map');
  } else if (part === 'metadata' && value !== null) {
    if (path.length === 3) demand(typeof value === 'string', path, 'a text');
    else if (field === 'finalizers') demand(isListOf(value, isText), path, 'a list of texts');
    else if (field === 'ownerReferences') demand(isListOf(value, isMap), path, 'a list of maps');
    else if (field === 'labels') demand(isMap(value), path, 'a map');
  }
  // The framework writes annotations, too, so they cannot be removed as a whole.
  if (part === 'metadata' && field === 'annotations' && path.length === 2) demand(isMap(value), path, 'a map');
}

function demand(condition: boolean, path: readonly string[], kind: string): void {
  if (!condition) throw new TypeError(`${toPlace('patch', path)} is not ${kind}`);
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function mergeInto(target: JsonMap, fields: Readonly<JsonMap>): void {
  for (const key in fields) {
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
  for (const key in metadata) {
    const value = metadata[key];
    if (!isMap(value) || !isEmptyMap(value)) setKey(result, key, value);
  }
  return result;
}
