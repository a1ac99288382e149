import type { InspectedObject, ObjectIdentity, InspectedPage, ObjectQuery } from '../inspection.types.js';
import { compareObjects, cutPage, matchActivity, matchName, wantsActivity } from '../objects/object.query.js';
import type { ObservedEntry, ObservedObjects } from './observed.objects.js';
import { openProgress, phaseAt } from './observed.phase.js';

/** Makes the reference to the object of an entry, for answers. */
export function referenceOfEntry({ resource, resourceName, object }: ObservedEntry): ObjectIdentity {
  const { namespace, name, uid } = object;
  return { resource: resourceName, kind: resource.kind, ...(namespace !== undefined && { namespace }), name, uid };
}

/** Describes an object as a row of the list, at a time in milliseconds since the epoch. */
export function rowOf(entry: ObservedEntry, now: number): InspectedObject {
  const { object } = entry;
  const open = openProgress(object);
  const due = open.flatMap(({ dueAt }) => dueAt ?? []);
  const error = open.find((each) => each.error !== undefined)?.error ?? lastErrorOf(entry);
  return {
    ...referenceOfEntry(entry),
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
 * Selects, sorts, and cuts a list of objects. There can be very many, most of which are idle: rows are made only of objects that can match.
 *
 * @param now the time in milliseconds since the epoch.
 */
export function queryObjects(
  objects: ObservedObjects,
  query: ObjectQuery,
  now: number,
): InspectedPage<InspectedObject> {
  const { resource, deleting, phase, sort = 'name' } = query;
  const isNamed = matchName(query);
  const wantsActive = wantsActivity(query);
  const entries = wantsActive || deleting ? objects.active() : objects.list();
  const found = entries.filter(
    ({ resourceName, object }) =>
      (resource === undefined || resourceName === resource) &&
      (deleting === undefined || (object.deletingSince !== undefined) === deleting) &&
      isNamed(object),
  );
  const isOrdered = sort === 'name' || sort === '-name';
  if (isOrdered && !wantsActive && phase === undefined && query.stuck === undefined) {
    return cutPage(sort === 'name' ? found : found.reverse(), query, (entry) => rowOf(entry, now));
  }
  const rows = found.map((entry) => rowOf(entry, now)).filter(matchActivity(query));
  return cutPage(rows.sort(compareObjects(query)), query, (row) => row);
}
