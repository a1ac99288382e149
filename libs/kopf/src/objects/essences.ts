import type { KubeObject, ObjectMeta } from './kube-object.js';
import { isEmptyMap, removeField, resolveField, setField, type FieldPath } from './field-path.js';
import { deepCopy, getKey, isMap, type JsonMap, setKey } from 'kube-common';

const KOPF_PREFIX = 'kopf.zalando.org';
const SUBDOMAIN_OF_KOPF = `.${KOPF_PREFIX}`;
const MARK = 'kopf-managed';
const MARK_END = `/${MARK}`;
const KUBECTL_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
const INESSENTIAL = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** The default name of the last handled essence in the status. */
const LAST_HANDLED = 'last-handled-configuration';

/** The pattern of the times with which objects are touched. */
const TOUCH = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;

/** The parts that an essence can have; the last one replaces an essence that is too large. */
const ESSENTIAL = new Set(['spec', 'metadata', 'status', '$essenceHash']);

/** The part of an object whose changes matter: no status, no system fields. */
export type Essence = Record<string, unknown>;

/** The essence of an object whose spec has a type; without a type, it can have any fields. */
export type EssenceOf<Spec> = 0 extends 1 & Spec ? any : TypedEssence<Spec>;

/** The essence of an object as handlers see it: the part that users write, without status, identity, and system fields. */
export interface TypedEssence<Spec> {
  readonly metadata?: Readonly<Pick<ObjectMeta, 'labels' | 'annotations'>>;
  readonly spec?: Readonly<Spec>;
}

/**
 * Creates the essence of an object: a deep copy of the part that users write, without identity, system fields, status, and the annotations
 * of operators built with Kopf.
 *
 * Fields are in the object's order, `metadata` (labels, annotations) last, then the extra fields; parts left empty are dropped.
 *
 * @param extraFields fields to keep although they would be left out: those that handlers filter by.
 * @param ignoredFields fields to leave out in any case.
 */
export function buildEssence(
  body: KubeObject,
  extraFields: readonly FieldPath[],
  ignoredFields: readonly FieldPath[] = [],
): Essence {
  const essence: Essence = {};
  for (const key in body) {
    if (!INESSENTIAL.has(key)) setKey(essence, key, deepCopy(body[key]));
  }
  // The API server always sends metadata, but an essence can also be built of an essence.
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

/**
 * Removes in place the state that operators built with Kopf keep in any field of the status: the progress of handlers, the last handled
 * essence, and the touches. Otherwise, two operators would store each other's state in their own, and more of it with each change.
 *
 * {@link buildEssence} recognises state in annotations by their names. State in the status is recognised by its form, as Kopf does not mark
 * it.
 *
 * @param watched the fields that handlers filter by: state that contains one of them is kept.
 */
export function removeStatusState(essence: Essence, watched: readonly FieldPath[]): void {
  if (!isMap(essence.status)) return;
  if (!removeStates(essence.status, ['status'], essence, watched)) return;
  // A map that had only progress is removed, too.
  dropEmptyMaps(essence.status);
  dropIfEmpty(essence, 'status');
}

/** Removes the states in a map and below. @returns whether there were any. */
function removeStates(map: JsonMap, path: FieldPath, essence: Essence, watched: readonly FieldPath[]): boolean {
  let isFound = false;
  for (const name of Object.keys(map)) {
    const value = map[name];
    const place = [...path, name];
    if (!isState(name, value, essence)) {
      if (isMap(value) && removeStates(value, place, essence, watched)) isFound = true;
    } else if (!watched.some((field) => startsWith(field, place))) {
      delete map[name];
      isFound = true;
    }
  }
  return isFound;
}

function dropEmptyMaps(map: JsonMap): void {
  for (const name of Object.keys(map)) {
    const value = map[name];
    if (!isMap(value)) continue;
    dropEmptyMaps(value);
    if (isEmptyMap(value)) delete map[name];
  }
}

function isState(name: string, value: unknown, essence: Essence): boolean {
  if (typeof value === 'string') {
    if (!value.startsWith('{')) return name === 'dummy' && TOUCH.test(value);
    return name === LAST_HANDLED || isStoredEssence(value, essence);
  }
  return isMap(value) && isProgressRecord(value);
}

/** Checks for the members that all progress records have, of any version of Kopf. */
function isProgressRecord({ started, retries, success, failure }: JsonMap): boolean {
  const isEnded = typeof success === 'boolean' && typeof failure === 'boolean';
  return isEnded && typeof retries === 'number' && typeof started === 'string';
}

/**
 * Checks for the text of an essence of this object: it has parts of an essence, but neither a version nor a kind, which copies of objects
 * have.
 */
function isStoredEssence(text: string, essence: Essence): boolean {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return false;
  }
  if (!isMap(stored)) return false;
  const { metadata, status } = stored;
  return (
    Object.keys(stored).every((key) => Object.hasOwn(essence, key) || ESSENTIAL.has(key)) &&
    (metadata === undefined || isMap(metadata)) &&
    (status === undefined || isMap(status)) &&
    Object.keys(metadata ?? {}).every((key) => key === 'labels' || key === 'annotations')
  );
}

function startsWith(field: FieldPath, start: FieldPath): boolean {
  return start.length <= field.length && start.every((name, index) => name === field[index]);
}

/** Removes in place the annotations whose names satisfy the condition. Call {@link dropEmptyParts} after it. */
export function removeAnnotations(essence: Essence, condition: (name: string) => boolean): void {
  const annotations = resolveField(essence, ['metadata', 'annotations']);
  if (!isMap(annotations)) return;
  for (const name of Object.keys(annotations)) {
    if (condition(name)) delete annotations[name];
  }
}

/** Removes in place the parts that mean nothing when they are empty: annotations, labels, metadata, status. */
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
  const isState = stateCheck(names);
  const result: JsonMap = {};
  for (const name of names) {
    if (name !== KUBECTL_ANNOTATION && !isState(name)) setKey(result, name, annotations[name]);
  }
  return result;
}

/** Returns the annotations in which operators built with Kopf keep their state. */
export function stateAnnotations(annotations: JsonMap): JsonMap {
  const names = Object.keys(annotations);
  const isState = stateCheck(names);
  const result: JsonMap = {};
  for (const name of names) {
    if (isState(name)) setKey(result, name, annotations[name]);
  }
  return result;
}

function stateCheck(names: readonly string[]): (name: string) => boolean {
  const marked = names.filter((name) => name.endsWith(MARK_END)).map((name) => name.slice(0, -MARK.length));
  if (marked.length === 0) return isOfKopf;
  return (name) => isOfKopf(name) || marked.some((prefix) => name.startsWith(prefix));
}

function isOfKopf(name: string): boolean {
  const slash = name.indexOf('/');
  if (slash === KOPF_PREFIX.length) return name.startsWith(KOPF_PREFIX);
  return slash > KOPF_PREFIX.length && name.slice(0, slash).endsWith(SUBDOMAIN_OF_KOPF);
}
