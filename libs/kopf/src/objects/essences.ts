import type { KubeObject, ObjectMeta } from './kube-object.js';
import { isEmptyMap, removeField, resolveField, setField, type FieldPath } from './field-path.js';
import { deepCopy, getKey, isMap, setKey, type JsonMap } from './json.js';

const KOPF_PREFIX = 'kopf.zalando.org';
const MARK = 'kopf-managed';
const KUBECTL_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
const INESSENTIAL = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** The part of an object whose changes matter: no status, no system fields. */
export type Essence = Record<string, unknown>;

/** The essence of an object whose spec has a type; without a type, anything can be in it. */
export type EssenceOf<Spec> = 0 extends 1 & Spec ? any : TypedEssence<Spec>;

/** The essence of an object as handlers see it: what its users write, without status, identity, and system fields. */
export interface TypedEssence<Spec> {
  readonly metadata?: Readonly<Pick<ObjectMeta, 'labels' | 'annotations'>>;
  readonly spec?: Readonly<Spec>;
}

/**
 * Makes the essence of an object: a deep copy of what its users write, without identity, system fields, status,
 * and the annotations of operators built with Kopf.
 *
 * Fields come in the object's order, `metadata` (labels, annotations) last, then the extra fields; parts left empty are dropped.
 *
 * @param extraFields fields to keep although they would be left out: those that handlers watch.
 * @param ignoredFields fields to leave out at the end, whatever else says.
 */
export function buildEssence(
  body: KubeObject,
  extraFields: readonly FieldPath[],
  ignoredFields: readonly FieldPath[] = [],
): Essence {
  const essence: Essence = {};
  for (const key of Object.keys(body)) {
    if (!INESSENTIAL.has(key)) setKey(essence, key, deepCopy(body[key]));
  }
  // Objects without metadata are not served, but an essence is taken of essences, too.
  const metadata = essentialMetadata(body.metadata as JsonMap | undefined);
  if (metadata) essence.metadata = metadata;

  for (const field of extraFields) {
    const value = field.length > 0 ? resolveField(body, field) : undefined;
    if (value !== undefined) setField(essence, field, deepCopy(value));
  }
  dropEmptyParts(essence);
  for (const field of ignoredFields) removeField(essence, field);
  return essence;
}

/** Removes in place the annotations whose names satisfy the condition. Call {@link dropEmptyParts} after it. */
export function removeAnnotations(essence: Essence, condition: (name: string) => boolean): void {
  const annotations = resolveField(essence, ['metadata', 'annotations']);
  if (!isMap(annotations)) return;
  for (const name of Object.keys(annotations)) {
    if (condition(name)) delete annotations[name];
  }
}

/** Removes in place the parts that say nothing when they are empty: annotations, labels, metadata, status. */
export function dropEmptyParts(essence: Essence): void {
  const { metadata } = essence;
  if (isMap(metadata)) {
    dropIfEmpty(metadata, 'annotations');
    dropIfEmpty(metadata, 'labels');
  }
  dropIfEmpty(essence, 'metadata');
  dropIfEmpty(essence, 'status');
}

function dropIfEmpty(map: JsonMap, key: string): void {
  const value = getKey(map, key);
  if (value === undefined) return;
  if (isMap(value) ? isEmptyMap(value) : !value) delete map[key];
}

function essentialMetadata(metadata: JsonMap | undefined): JsonMap | undefined {
  const { labels, annotations } = metadata ?? {};
  const result: JsonMap = {};
  if (labels) result.labels = deepCopy(labels);
  if (isMap(annotations)) result.annotations = essentialAnnotations(annotations);
  return isEmptyMap(result) ? undefined : result;
}

function essentialAnnotations(annotations: JsonMap): JsonMap {
  const names = Object.keys(annotations);
  const marked = names.filter((name) => name.endsWith(`/${MARK}`)).map((name) => name.slice(0, -MARK.length));
  const result: JsonMap = {};
  for (const name of names) {
    if (name === KUBECTL_ANNOTATION || isOfKopf(name) || marked.some((prefix) => name.startsWith(prefix))) continue;
    setKey(result, name, annotations[name]);
  }
  return result;
}

function isOfKopf(name: string): boolean {
  const prefix = name.slice(0, Math.max(0, name.indexOf('/')));
  return prefix === KOPF_PREFIX || prefix.endsWith(`.${KOPF_PREFIX}`);
}
