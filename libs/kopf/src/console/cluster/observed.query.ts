import type { ConsoleObject, ConsoleObjectReference, ConsolePage, ObjectQuery } from '../console.api.js';
import type { ObservedEntry } from './observed.objects.js';
import { openProgress, phaseAt } from './observed.phase.js';

/** The phases from what needs attention most to what needs none. */
const PHASES: readonly ConsoleObject['phase'][] = [
  'stuck',
  'failing',
  'failed',
  'deleting',
  'inWork',
  'waiting',
  'idle',
];

const LIMITS = { usual: 100, most: 500 };

/** Names the object of an entry in answers. */
export function referenceOf({ resource, resourceName, object }: ObservedEntry): ConsoleObjectReference {
  const { namespace, name, uid } = object;
  return { resource: resourceName, kind: resource.kind, ...(namespace !== undefined && { namespace }), name, uid };
}

/** Describes an object as a row of the list, at a time in milliseconds since the epoch. */
export function rowOf(entry: ObservedEntry, now: number): ConsoleObject {
  const { object } = entry;
  const open = openProgress(object);
  const due = open.flatMap(({ dueAt }) => dueAt ?? []);
  const error = open.find((each) => each.error !== undefined)?.error ?? lastErrorOf(entry);
  return {
    ...referenceOf(entry),
    phase: phaseAt(object, now),
    retries: retriesOf(entry),
    handlers: open.map(({ handler }) => handler),
    ...(due.length > 0 && { dueAt: Math.min(...due) }),
    ...(error !== undefined && { error }),
    deleting: object.deletingSince !== undefined,
    ...(object.changedAt !== undefined && { changedAt: object.changedAt }),
  };
}

function lastErrorOf({ object }: ObservedEntry): string | undefined {
  return object.progress.find(({ ended }) => ended === 'failed')?.error ?? object.failure?.error;
}

function retriesOf({ object }: ObservedEntry): number {
  return openProgress(object).reduce((most, { attempts }) => Math.max(most, attempts), 0);
}

/**
 * Selects, sorts, and cuts a list of objects.
 *
 * @param entries all objects, by name.
 * @param now the time in milliseconds since the epoch.
 */
export function queryObjects(
  entries: readonly ObservedEntry[],
  query: ObjectQuery,
  now: number,
): ConsolePage<ConsoleObject> {
  const { offset = 0, limit = LIMITS.usual, sort = 'name' } = query;
  const found = sortEntries(filterEntries(entries, query, now), sort, now);
  const items = found.slice(offset, offset + Math.min(limit, LIMITS.most)).map((entry) => rowOf(entry, now));
  return { total: found.length, offset, items };
}

function filterEntries(entries: readonly ObservedEntry[], query: ObjectQuery, now: number): readonly ObservedEntry[] {
  const { resource, namespace, phase, handler, retries, deleting, stuck } = query;
  const search = query.search?.toLowerCase();
  const conditions: ((entry: ObservedEntry) => boolean)[] = [];
  if (resource !== undefined) conditions.push((each) => each.resourceName === resource);
  if (namespace !== undefined) conditions.push(({ object }) => object.namespace === namespace);
  if (deleting !== undefined) conditions.push(({ object }) => (object.deletingSince !== undefined) === deleting);
  if (handler !== undefined)
    conditions.push(({ object }) => openProgress(object).some((each) => each.handler === handler));
  if (retries !== undefined) conditions.push((entry) => retriesOf(entry) >= retries);
  if (search) {
    conditions.push(({ object }) => `${object.namespace ?? ''}/${object.name}`.toLowerCase().includes(search));
  }
  if (phase !== undefined) conditions.push(({ object }) => phaseAt(object, now) === phase);
  if (stuck !== undefined) conditions.push(({ object }) => (phaseAt(object, now) === 'stuck') === stuck);
  return conditions.length === 0 ? entries : entries.filter((entry) => conditions.every((holds) => holds(entry)));
}

/** The sort is stable, so that equal ones stay sorted by name. */
function sortEntries(
  entries: readonly ObservedEntry[],
  sort: NonNullable<ObjectQuery['sort']>,
  now: number,
): readonly ObservedEntry[] {
  const isReversed = sort.startsWith('-');
  const order = isReversed ? sort.slice(1) : sort;
  if (order === 'name') return isReversed ? [...entries].reverse() : entries;
  const ranks = new Map(entries.map((entry) => [entry, rankOf(entry, order, now)]));
  const direction = isReversed ? -1 : 1;
  return [...entries].sort((one, other) => compareRanks(ranks.get(one), ranks.get(other), direction));
}

function rankOf(entry: ObservedEntry, order: string, now: number): number | undefined {
  if (order === 'phase') return PHASES.indexOf(phaseAt(entry.object, now));
  if (order === 'retries') return retriesOf(entry);
  if (order === 'changed') return entry.object.changedAt;
  const due = openProgress(entry.object).flatMap(({ dueAt }) => dueAt ?? []);
  return due.length > 0 ? Math.min(...due) : undefined;
}

/** Objects without a value come last, in both directions. */
function compareRanks(one: number | undefined, other: number | undefined, direction: number): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  return (one - other) * direction;
}
