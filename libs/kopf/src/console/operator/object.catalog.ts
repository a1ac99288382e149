import type { Clock, ClockTimer } from '../../common/clock.js';
import type { KnownObject, KnownObjectsView } from '../../client/watch/known.objects.js';
import { qualifiedName, type Resource } from '../../resources/resources.js';
import type { ResourceWatcher } from '../../watching/resource.watcher.js';
import type { WatcherSet } from '../../watching/watcher.set.js';
import type {
  ConsoleObject,
  ConsoleObjectReference,
  ConsolePage,
  ConsoleResource,
  ObjectQuery,
} from '../console.api.js';
import {
  compareNames,
  compareObjects,
  cutPage,
  matchActivity,
  matchName,
  partOf,
  wantsActivity,
  type ListedName,
} from '../objects/object.query.js';
import { findPlace, mergePart, mergeSorted } from '../objects/sorted.merging.js';
import type { ObjectHistories } from './object.histories.js';
import type { OperatorConcealment } from './operator.concealment.js';
import type { ObjectState, ObjectStates } from './object.states.js';

/** One object as the watches know it. Very many of them are kept as long as somebody looks at lists, so they hold little. */
interface Row extends ListedName {
  readonly known: KnownObject;
  readonly resource: Resource;
  readonly qualified: string;
}

/** The columns of an object of which there is nothing to say. */
const PLAIN = { resource: '', kind: '', phase: 'idle', retries: 0, handlers: [], deleting: false } as const;

/** Milliseconds after the last query for which the sorted rows are kept. */
const KEPT = 60_000;

/** The most rows that are put into the sorted ones, or taken out, one by one. */
const FEW = 16;

/** The most selections of the rows that are kept: each viewer has one or two. */
const MOST_SELECTIONS = 16;

/** Lists objects by what the watches know and what is done with them, without asking the API server. */
export class ObjectCatalog {
  private rows: Row[] = [];
  /** Selections of the rows, by the queries. */
  private readonly selected = new Map<string, readonly Row[]>();
  /** The objects whose coming and going is followed as long as the rows are kept, and what ends this. */
  private readonly followed = new Map<KnownObjectsView, () => void>();
  private readonly added = new Map<KnownObject, Row>();
  private readonly removed = new Set<KnownObject>();
  private usedAt = 0;
  private expiry?: ClockTimer;

  constructor(
    private readonly watchers: WatcherSet,
    private readonly states: ObjectStates,
    private readonly histories: ObjectHistories,
    private readonly concealment: OperatorConcealment,
    private readonly clock: Clock,
  ) {}

  /** Forgets what it keeps for the next query. */
  close(): void {
    this.expiry?.cancel();
    this.expiry = undefined;
    this.forget();
  }

  /** The resources that are watched, with the numbers of their objects. */
  resources(): readonly ConsoleResource[] {
    const found = new Map<string, ConsoleResource>();
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
  find(uid: string): { readonly object: ConsoleObjectReference; readonly resource: Resource } | undefined {
    for (const { resource, objects } of this.watchers.all) {
      const known = objects.get(uid);
      if (known) return { object: toReference(resource, known), resource };
    }
    return undefined;
  }

  /** Counts the objects that are being deleted. */
  countDeleting(): number {
    let count = 0;
    for (const { objects } of this.watchers.all) count += objects.deleting.size;
    return count;
  }

  query(query: ObjectQuery): ConsolePage<ConsoleObject> {
    const states = this.states.all();
    if (wantsActivity(query)) return this.queryActive(query, states);
    const { sort = 'name', phase, deleting, stuck } = query;
    const rows = this.select(query);
    if (sort.endsWith('name') && phase === undefined && deleting === undefined && stuck === undefined) {
      return cutPage(rows, query, (row) => this.describe(row, states));
    }
    return this.queryBoth(query, rows, states);
  }

  /** Describes one object for lists. */
  show(resource: Resource, known: KnownObject, state: ObjectState | undefined): ConsoleObject {
    const { phase = 'idle', progress = [] } = state ?? {};
    const open = progress.filter((each) => each.state !== 'succeeded');
    const due = open.flatMap(({ dueAt }) => (dueAt === undefined ? [] : [dueAt]));
    const error = this.concealment.error(resource, open.find((each) => each.error !== undefined)?.error);
    const changedAt = known.uid === undefined ? undefined : this.histories.changedAt(known.uid);
    const isDeleting = known.isDeleting ?? false;
    return {
      ...toReference(resource, known),
      phase: isDeleting && (phase === 'idle' || phase === 'waiting') ? 'deleting' : phase,
      retries: Math.max(0, ...open.map(({ attempts }) => attempts)),
      handlers: open.map(({ handler }) => handler),
      deleting: isDeleting,
      ...(due.length > 0 && { dueAt: Math.min(...due) }),
      ...(error !== undefined && { error }),
      ...(changedAt !== undefined && { changedAt }),
    };
  }

  /** Objects that are not idle are few, and are found without looking at all others. */
  private queryActive(query: ObjectQuery, states: ReadonlyMap<string, ObjectState>): ConsolePage<ConsoleObject> {
    const [isNamed, isActive] = [matchName(query), matchActivity(query)];
    const found: ConsoleObject[] = [];
    for (const { resource, objects } of this.watchers.all) {
      const name = qualifiedName(resource);
      if (query.resource !== undefined && query.resource !== name) continue;
      const candidates = query.phase === 'deleting' ? objects.deleting : knownOf(objects, states.keys());
      for (const known of candidates) {
        if (!isNamed(known as ListedName)) continue;
        const object = this.show(resource, known, states.get(known.uid ?? ''));
        if (isActive(object)) found.push(object);
      }
    }
    return cutPage(found.sort(compareObjects(query)), query, (object) => object);
  }

  /**
   * Sorts the few objects of which there is anything to say but their names, and puts them in between the others, which are sorted already: as
   * far as columns are concerned, all of these are the same.
   */
  private queryBoth(
    query: ObjectQuery,
    rows: readonly Row[],
    states: ReadonlyMap<string, ObjectState>,
  ): ConsolePage<ConsoleObject> {
    const [isNamed, isMeant, compare] = [matchName(query), matchActivity(query), compareObjects(query)];
    const special = new Set<KnownObject>();
    const found: ConsoleObject[] = [];
    for (const { resource, objects } of this.watchers.all) {
      if (query.resource !== undefined && query.resource !== qualifiedName(resource)) continue;
      for (const known of [
        ...objects.deleting,
        ...knownOf(objects, states.keys()),
        ...knownOf(objects, this.histories.known),
      ]) {
        if (special.has(known) || !isNamed(known as ListedName)) continue;
        special.add(known);
        const object = this.show(resource, known, states.get(known.uid ?? ''));
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
      items: part.map((item) => ('known' in item ? this.describe(item, states) : item)),
    };
  }

  /** Selects by names, and keeps what was selected, as the same is asked for again and again. */
  private select({ resource, namespace, search, sort }: ObjectQuery): readonly Row[] {
    const rows = this.read();
    const isBackwards = sort === '-name';
    if (resource === undefined && namespace === undefined && search === undefined && !isBackwards) return rows;
    const key = JSON.stringify([resource, namespace, search, isBackwards]);
    let selected = this.selected.get(key);
    if (!selected) {
      const isNamed = matchName({ namespace, search });
      selected = rows.filter((row) => (resource === undefined || row.qualified === resource) && isNamed(row));
      if (isBackwards) selected = [...selected].reverse();
      if (this.selected.size >= MOST_SELECTIONS) this.selected.clear();
      this.selected.set(key, selected);
    }
    return selected;
  }

  private describe({ resource, known }: Row, states: ReadonlyMap<string, ObjectState>): ConsoleObject {
    return this.show(resource, known, states.get(known.uid ?? ''));
  }

  /** Brings the rows up to date: with what has come and gone, or, if other objects are watched now, from the beginning. */
  private read(): readonly Row[] {
    this.expireLater();
    const watchers = [...this.watchers.all];
    const isSame =
      watchers.length === this.followed.size && watchers.every(({ objects }) => this.followed.has(objects));
    if (!isSame) this.readAll(watchers);
    const { added, removed } = this;
    if (added.size + removed.size === 0) return this.rows;
    this.selected.clear();
    if (removed.size > FEW) this.rows = this.rows.filter(({ known }) => !removed.has(known));
    else for (const known of removed) this.take(known);
    const news = [...added.values()].sort(compareNames);
    if (news.length > FEW) this.rows = [...mergeSorted<Row, Row>(news, this.rows, compareNames)];
    else
      for (const row of news)
        this.rows.splice(
          findPlace(this.rows, (each) => compareNames(row, each)),
          0,
          row,
        );
    removed.clear();
    added.clear();
    return this.rows;
  }

  private take(known: KnownObject): void {
    const named = known as ListedName;
    let place = findPlace(this.rows, (each) => compareNames(named, each));
    while (this.rows[place].known !== known) place += 1;
    this.rows.splice(place, 1);
  }

  private readAll(watchers: readonly Pick<ResourceWatcher, 'resource' | 'objects'>[]): void {
    this.forget();
    for (const { resource, objects } of watchers) {
      const qualified = qualifiedName(resource);
      const note = (known: KnownObject, exists: boolean): void => {
        const { namespace, name = '' } = known;
        if (exists) this.added.set(known, { known, resource, qualified, namespace, name });
        else if (!this.added.delete(known)) this.removed.add(known);
      };
      for (const known of objects.values()) note(known, true);
      this.followed.set(objects, objects.follow(note));
    }
  }

  private forget(): void {
    for (const unfollow of this.followed.values()) unfollow();
    this.followed.clear();
    this.added.clear();
    this.removed.clear();
    this.selected.clear();
    this.rows = [];
  }

  private expireLater(): void {
    this.usedAt = this.clock.monotonic();
    this.expiry ??= this.clock.setTimer(() => this.expire(), KEPT);
  }

  private expire(): void {
    this.expiry = undefined;
    const left = this.usedAt + KEPT - this.clock.monotonic();
    if (left > 0) this.expiry = this.clock.setTimer(() => this.expire(), left);
    else this.forget();
  }
}

function knownOf(
  objects: { get(uid: string): KnownObject | undefined },
  uids: Iterable<string>,
): readonly KnownObject[] {
  return [...uids].flatMap((uid) => objects.get(uid) ?? []);
}

function toReference(resource: Resource, { name = '', namespace, uid }: KnownObject): ConsoleObjectReference {
  return { resource: qualifiedName(resource), kind: resource.kind, namespace, name, uid };
}
