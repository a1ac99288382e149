import type { Clock } from 'kube-common';
import type { KnownObject } from '../../../client/watch/known.objects.js';
import { qualifiedName, type Resource } from '../../../resources/resources.js';
import type { WatcherSet } from '../../../watching/watcher.set.js';
import type {
  InspectedObject,
  ObjectIdentity,
  InspectedPage,
  InspectedResource,
  ObjectQuery,
} from '../../inspection.types.js';
import {
  compareObjects,
  cutPage,
  matchActivity,
  matchName,
  partOf,
  wantsActivity,
  type ListedName,
} from '../../objects/object.query.js';
import { referTo } from '../../objects/object.reference.js';
import { mergePart } from '../../objects/sorted.merging.js';
import type { ObjectHistories } from '../history/object.histories.js';
import { ObjectRows, type ObjectRow } from './object.rows.js';
import type { OperatorConcealment } from '../operator.concealment.js';
import type { ObjectState, ObjectStates } from './object.states.js';

/** The most rows that are kept for the next answer. */
const MOST_SHOWN = 5000;

/** The columns of an object that is idle. */
const PLAIN = { resource: '', kind: '', phase: 'idle', retries: 0, handlers: [], deleting: false } as const;

/** The objects that the watches know, with the states of their handling, without requests to the API server. */
export class ObjectCatalog {
  private readonly rows: ObjectRows;
  /** The rows that were described last, with the states that they were made of. */
  private readonly shown = new Map<KnownObject, { readonly state?: ObjectState; readonly object: InspectedObject }>();

  constructor(
    private readonly watchers: WatcherSet,
    private readonly states: ObjectStates,
    private readonly histories: ObjectHistories,
    private readonly concealment: OperatorConcealment,
    clock: Clock,
  ) {
    this.rows = new ObjectRows(watchers, clock);
  }

  /** Forgets what it keeps for the next query. */
  close(): void {
    this.rows.close();
    this.shown.clear();
  }

  /** The resources that are watched, with the numbers of their objects. */
  resources(): readonly InspectedResource[] {
    const found = new Map<string, InspectedResource>();
    for (const { resource, objects } of this.watchers.all) {
      const name = qualifiedName(resource);
      const { kind, namespaced } = resource;
      found.set(name, { resource: name, kind, namespaced, objects: (found.get(name)?.objects ?? 0) + objects.size });
    }
    return [...found.values()].sort((one, other) => (one.resource < other.resource ? -1 : 1));
  }

  /** Finds a resource by its qualified name: `deployments.apps`. */
  findResource(name: string): Resource | undefined {
    for (const { resource } of this.watchers.all) if (qualifiedName(resource) === name) return resource;
    return undefined;
  }

  /** Finds an object by its uid, and its resource. */
  find(uid: string): { readonly object: ObjectIdentity; readonly resource: Resource } | undefined {
    for (const { resource, objects } of this.watchers.all) {
      const known = objects.get(uid);
      if (known) return { object: referTo(resource, known), resource };
    }
    return undefined;
  }

  /** Counts the objects that are being deleted. */
  countDeleting(): number {
    let count = 0;
    for (const { objects } of this.watchers.all) count += objects.deleting.size;
    return count;
  }

  query(query: ObjectQuery): InspectedPage<InspectedObject> {
    const states = this.states.all();
    if (wantsActivity(query)) return this.queryActive(query, states);
    const { sort = 'name', phase, deleting, stuck } = query;
    const rows = this.rows.select(query);
    const isForAll = phase === undefined && deleting === undefined && stuck === undefined;
    if (isForAll && sort.endsWith('name')) return cutPage(rows, query, (row) => this.toInspectedObject(row, states));
    const newest = isForAll && sort === '-changed' ? this.queryNewest(query, rows, states) : undefined;
    return newest ?? this.queryBoth(query, rows, states);
  }

  /** Describes one object for lists. */
  show(resource: Resource, known: KnownObject, state: ObjectState | undefined): InspectedObject {
    const { phase = 'idle', progress = [] } = state ?? {};
    const open = progress.filter((each) => each.state !== 'succeeded');
    const due = open.flatMap(({ dueAt }) => (dueAt === undefined ? [] : [dueAt]));
    const error = this.concealment.error(resource, open.find((each) => each.error !== undefined)?.error);
    const changedAt = this.changedAt(known);
    const isDeleting = known.isDeleting ?? false;
    return {
      ...referTo(resource, known),
      phase: isDeleting && (phase === 'idle' || phase === 'waiting') ? 'deleting' : phase,
      retries: Math.max(0, ...open.map(({ attempts }) => attempts)),
      handlers: open.map(({ handler }) => handler),
      deleting: isDeleting,
      ...(due.length > 0 && { dueAt: Math.min(...due) }),
      ...(error !== undefined && { error }),
      ...(changedAt !== undefined && { changedAt }),
    };
  }

  /** Describes a watched object. The row stays the same one as long as nothing happens to the object. */
  private showKnown(resource: Resource, known: KnownObject, state: ObjectState | undefined): InspectedObject {
    const shown = this.shown.get(known);
    if (
      shown &&
      shown.state === state &&
      shown.object.deleting === (known.isDeleting ?? false) &&
      shown.object.changedAt === this.changedAt(known)
    ) {
      return shown.object;
    }
    const object = this.show(resource, known, state);
    if (this.shown.size >= MOST_SHOWN) this.shown.clear();
    this.shown.set(known, { state, object });
    return object;
  }

  private changedAt({ uid }: KnownObject): number | undefined {
    return uid === undefined ? undefined : this.histories.changedAt(uid);
  }

  /** Answers a query for objects that are not idle, which are few, without visiting the others. */
  private queryActive(query: ObjectQuery, states: ReadonlyMap<string, ObjectState>): InspectedPage<InspectedObject> {
    const [isNamed, isActive] = [matchName(query), matchActivity(query)];
    const found: InspectedObject[] = [];
    for (const { resource, objects } of this.watchers.all) {
      const name = qualifiedName(resource);
      if (query.resource !== undefined && query.resource !== name) continue;
      const candidates = query.phase === 'deleting' ? objects.deleting : knownOf(objects, states.keys());
      for (const known of candidates) {
        if (!isNamed(known as ListedName)) continue;
        const object = this.showKnown(resource, known, states.get(known.uid ?? ''));
        if (isActive(object)) found.push(object);
      }
    }
    return cutPage(found.sort(compareObjects(query)), query, (object) => object);
  }

  /** Finds the objects that have changed last, without visiting the others; `undefined` if fewer have changed than the query wants. */
  private queryNewest(
    query: ObjectQuery,
    rows: readonly ObjectRow[],
    states: ReadonlyMap<string, ObjectState>,
  ): InspectedPage<InspectedObject> | undefined {
    const { start, end } = partOf(query);
    const isNamed = matchName(query);
    const found: InspectedObject[] = [];
    for (const uid of this.histories.newest()) {
      // Objects that have changed at the same time are sorted by their names, so all of them are visited.
      if (found.length >= end && this.histories.changedAt(uid) !== found.at(-1)?.changedAt) {
        return { total: rows.length, offset: start, items: found.sort(compareObjects(query)).slice(start, end) };
      }
      for (const { resource, objects } of this.watchers.all) {
        const known = objects.get(uid);
        if (!known || !isNamed(known as ListedName)) continue;
        if (query.resource !== undefined && query.resource !== qualifiedName(resource)) continue;
        found.push(this.showKnown(resource, known, states.get(uid)));
      }
    }
    return undefined;
  }

  /**
   * Sorts the few objects with a state, and merges them into the others, which are sorted already, as all their columns but the name are
   * the same.
   */
  private queryBoth(
    query: ObjectQuery,
    rows: readonly ObjectRow[],
    states: ReadonlyMap<string, ObjectState>,
  ): InspectedPage<InspectedObject> {
    const [isNamed, isMeant, compare] = [matchName(query), matchActivity(query), compareObjects(query)];
    const isByChange = query.sort === 'changed' || query.sort === '-changed';
    const special = new Set<KnownObject>();
    const found: InspectedObject[] = [];
    for (const { resource, objects } of this.watchers.all) {
      if (query.resource !== undefined && query.resource !== qualifiedName(resource)) continue;
      const changed = isByChange ? knownOf(objects, this.histories.known) : [];
      for (const known of [...objects.deleting, ...knownOf(objects, states.keys()), ...changed]) {
        if (special.has(known) || !isNamed(known as ListedName)) continue;
        special.add(known);
        const object = this.showKnown(resource, known, states.get(known.uid ?? ''));
        if (isMeant(object)) found.push(object);
      }
    }
    const plain = query.deleting === true ? [] : rows;
    const part = mergePart(
      found.sort(compare),
      plain,
      (object, { namespace, name }) => compare(object, { ...PLAIN, namespace, name }),
      partOf(query),
      ({ known }) => special.has(known),
    );
    return {
      total: found.length + Math.max(0, plain.length - special.size),
      offset: query.offset ?? 0,
      items: part.map((item) => ('known' in item ? this.toInspectedObject(item, states) : item)),
    };
  }

  private toInspectedObject({ resource, known }: ObjectRow, states: ReadonlyMap<string, ObjectState>): InspectedObject {
    return this.showKnown(resource, known, states.get(known.uid ?? ''));
  }
}

function knownOf(
  objects: { get(uid: string): KnownObject | undefined },
  uids: Iterable<string>,
): readonly KnownObject[] {
  return [...uids].flatMap((uid) => objects.get(uid) ?? []);
}
