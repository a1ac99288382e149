import { isMap, parseJson, parseTimestamp } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import { DEFAULT_PREFIX, type ProgressRecord } from '../../state/storages.js';

/** The state of one handler's progress. `due`: its next attempt should have been made by now. */
export type HandlerState = 'succeeded' | 'failed' | 'waiting' | 'due' | 'begun';

/** The progress of one handler, as an operator has stored it. */
export interface StoredProgress {
  /** The id of the handler, as far as the place shows it: in annotations, long ids are cut, and `/` is `.`. */
  readonly id: string;
  /** All places of the object that hold it: paths of annotations and of the status. */
  readonly places: readonly string[];
  readonly state: HandlerState;
  /** The number of attempts; 0 if there was none yet, or if it is not known. */
  readonly attempts: number;
  /** The reason for which the handler is called: `create`, `update`, `delete`, `resume`. */
  readonly purpose?: string;
  readonly started?: string;
  /** When the next attempt is due. */
  readonly due?: string;
  /** Seconds until then; negative if it is over. */
  readonly dueIn?: number;
  /** When the handler has ended, successfully or not. */
  readonly stopped?: string;
  /** The error of the last attempt. */
  readonly message?: string;
  readonly subhandlers?: readonly string[];
}

/** The state that operators with one prefix of annotations, or one name in the status, have left on an object. */
export interface StoredState {
  /** The prefix of the annotations: `kopf.zalando.org`. */
  readonly prefix: string;
  readonly progress: readonly StoredProgress[];
  /** The places of the last handled configuration; empty if there is none. */
  readonly lastHandled: readonly string[];
  /** The places of what cannot be read. */
  readonly unreadable: readonly string[];
  /** All annotations of the prefix. */
  readonly annotations: readonly string[];
}

const LAST_HANDLED = 'last-handled-configuration';
const RESERVED = new Set([LAST_HANDLED, `${LAST_HANDLED}-uid`, 'touch-dummy', 'kopf-managed']);

/** Finds the state of operators on an object, of any framework with Kopf's format, without knowing their settings. */
export function readStoredState(body: KubeObject, now: number): readonly StoredState[] {
  const annotations = body.metadata.annotations ?? {};
  return findPrefixes(annotations).map((prefix) => readPrefix(prefix, body, annotations, now));
}

/** Finds the prefixes of operators: those with an annotation that only operators write, or with one that looks like progress. */
function findPrefixes(annotations: Readonly<Record<string, string>>): readonly string[] {
  const found = new Set<string>();
  for (const [key, value] of Object.entries(annotations)) {
    const [prefix, name] = splitKey(key);
    if (prefix && (RESERVED.has(name) || isRecord(readJson(value)))) found.add(prefix);
  }
  // The state in the status belongs to the default prefix, as the operators that write both use it.
  return [...found.add(DEFAULT_PREFIX)].sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

function rank(prefix: string): number {
  return prefix === DEFAULT_PREFIX ? 0 : 1;
}

function readPrefix(
  prefix: string,
  { status }: KubeObject,
  annotations: Readonly<Record<string, string>>,
  now: number,
): StoredState {
  const own = Object.keys(annotations).filter((key) => splitKey(key)[0] === prefix);
  const records: { id: string; place: string; record: ProgressRecord }[] = [];
  const unreadable: string[] = [];
  const lastHandled: string[] = [];
  for (const key of own) {
    const [, name] = splitKey(key);
    const place = `metadata.annotations['${key}']`;
    const value = readJson(annotations[key]);
    if (name === LAST_HANDLED && isMap(value)) lastHandled.push(place);
    else if (isRecord(value) && !RESERVED.has(name)) records.push({ id: name, place, record: value });
    else if (value === undefined && !['touch-dummy', 'kopf-managed', `${LAST_HANDLED}-uid`].includes(name))
      unreadable.push(place);
  }
  if (prefix === DEFAULT_PREFIX) {
    const stored = readStatus(status);
    records.push(...stored.records);
    lastHandled.push(...stored.lastHandled);
  }
  return { prefix, progress: merge(records, now), lastHandled, unreadable, annotations: own };
}

/**
 * Reads `status.{name}.progress`, whatever the name is; by default, it is `kopf`. Operators with a custom field for the progress have it in
 * `status.{name}` itself, where only complete records count: other clients write into the status, too.
 */
function readStatus(status: unknown): {
  records: { id: string; place: string; record: ProgressRecord }[];
  lastHandled: string[];
} {
  const records: { id: string; place: string; record: ProgressRecord }[] = [];
  const lastHandled: string[] = [];
  for (const [name, part] of Object.entries(isMap(status) ? status : {})) {
    if (!isMap(part)) continue;
    if (typeof part[LAST_HANDLED] === 'string') lastHandled.push(`status.${name}.${LAST_HANDLED}`);
    for (const [id, record] of Object.entries(isMap(part.progress) ? part.progress : {})) {
      if (isRecord(record)) records.push({ id, place: `status.${name}.progress['${id}']`, record });
    }
    for (const [id, record] of Object.entries(part)) {
      if (isCompleteRecord(record)) records.push({ id, place: `status.${name}['${id}']`, record });
    }
  }
  return { records, lastHandled };
}

const ANNOTATION_PLACE = /^metadata\.annotations\['(?<key>.+)'\]$/;
const STATUS_PLACE = /^status\.(?<name>[^.[]+)(?<progress>\.progress)?\['(?<id>.+)'\]$/;

/** Returns the names of the fields that lead to a place of {@link StoredProgress}: `['metadata', 'annotations', 'kopf.zalando.org/create']`. */
export function pathOfPlace(place: string): readonly string[] {
  const { key } = ANNOTATION_PLACE.exec(place)?.groups ?? {};
  if (key !== undefined) return ['metadata', 'annotations', key];
  const { name, progress, id } = STATUS_PLACE.exec(place)?.groups ?? {};
  return ['status', name, ...(progress ? ['progress'] : []), id];
}

/** Merges the records of the same handler, as operators store a record under the keys of older versions and in the status, too. */
function merge(
  records: readonly { id: string; place: string; record: ProgressRecord }[],
  now: number,
): readonly StoredProgress[] {
  const merged = new Map<string, { id: string; places: string[]; record: ProgressRecord }>();
  for (const { id, place, record } of records) {
    const { started, purpose, retries } = record;
    const key = started ? JSON.stringify([started, purpose ?? null, retries ?? 0]) : id;
    const known = merged.get(key);
    // Two handlers can begin in the same microsecond; the ids of one handler differ in some characters only.
    if (known && isSameId(known.id, id)) known.places.push(place);
    else merged.set(known ? `${key} ${id}` : key, { id, places: [place], record });
  }
  return [...merged.values()].map(({ id, places, record }) => toStoredProgress(id, places, record, now));
}

/** Whether two ids are of the same handler: places of the object have them with different characters, and long ones cut. */
export function isSameId(one: string, other: string): boolean {
  const [a, b] = [one, other].map((id) => id.replace(/[^\w]/g, '.'));
  return a === b || a.slice(0, 40) === b.slice(0, 40);
}

/** The error that Kopf stores for a handler which is called again only as its sub-handlers are not done. */
const NO_ERROR = 'None';

/** Reads the error of the last attempt; there is none if a handler only waits for its sub-handlers. */
export function errorOfRecord({ message, subrefs }: ProgressRecord): string | undefined {
  return message && !(message === NO_ERROR && subrefs?.length) ? message : undefined;
}

/** Describes a record of a handler. @param places the places of the object that hold it */
export function toStoredProgress(
  id: string,
  places: readonly string[],
  record: ProgressRecord,
  now: number,
): StoredProgress {
  const { retries, purpose, started, stopped, delayed, subrefs, success, failure } = record;
  const message = errorOfRecord(record);
  const due = parseTimestamp(delayed);
  const dueIn = due === undefined ? undefined : Math.round((due - now) / 1000);
  const isDone = success === true || failure === true;
  const open = dueIn === undefined ? 'begun' : dueIn > 0 ? 'waiting' : 'due';
  return {
    id,
    places,
    state: success === true ? 'succeeded' : failure === true ? 'failed' : open,
    attempts: retries ?? 0,
    ...(purpose && { purpose }),
    ...(started && { started }),
    ...(isDone && stopped && { stopped }),
    ...(!isDone && delayed && { due: delayed, dueIn }),
    ...(message && { message }),
    ...(subrefs?.length && { subhandlers: subrefs }),
  };
}

function splitKey(key: string): readonly [prefix: string, name: string] {
  const slash = key.indexOf('/');
  return slash < 0 ? ['', key] : [key.slice(0, slash), key.slice(slash + 1)];
}

function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const RECORD_MEMBERS = ['started', 'retries', 'success', 'failure', 'delayed'];

/** Whether a value is a record with all members; in the status, those without a value are `null`. */
function isCompleteRecord(value: unknown): value is ProgressRecord {
  return isMap(value) && RECORD_MEMBERS.every((key) => key in value);
}

/** Whether a value is a record: it has the time of the first attempt or the number of attempts, and no foreign members. */
function isRecord(value: unknown): value is ProgressRecord {
  if (!isMap(value)) return false;
  return RECORD_MEMBERS.filter((key) => key in value).length >= 2;
}
