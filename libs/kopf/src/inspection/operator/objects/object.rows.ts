import type { Clock, ClockTimer } from 'kube-common';
import type { KnownObject, KnownObjectsView } from '../../../client/watch/known.objects.js';
import { qualifiedName, type Resource } from '../../../resources/resources.js';
import type { ResourceWatcher } from '../../../watching/resource.watcher.js';
import type { WatcherSet } from '../../../watching/watcher.set.js';
import type { ObjectQuery } from '../../inspection.types.js';
import { compareNames, matchName, type ListedName } from '../../objects/object.query.js';
import { findPlace, mergeSorted } from '../../objects/sorted.merging.js';

/** One object as the watches know it. It is small, as one is kept for each object while viewers read lists. */
export interface ObjectRow extends ListedName {
  readonly known: KnownObject;
  readonly resource: Resource;
  readonly qualified: string;
}

/** Rows that were selected by a query, in its order. */
interface Selection {
  readonly rows: ObjectRow[];
  readonly isMeant: (row: ObjectRow) => boolean;
  readonly compare: (one: ListedName, other: ListedName) => number;
}

/** Milliseconds after the last query for which the sorted rows are kept. */
const KEPT = 60_000;

/** The most rows that are put into the sorted ones, or taken out, one by one. */
const FEW = 16;

/** The most selections of the rows that are kept: each viewer has one or two. */
const MOST_SELECTIONS = 16;

/** The watched objects, kept sorted by their names as long as there are viewers, as sorting very many again takes long. */
export class ObjectRows {
  private rows: ObjectRow[] = [];
  /** Selections of the rows, by the queries. */
  private readonly selected = new Map<string, Selection>();
  /** The watched objects to whose creations and deletions the rows subscribe, each with the function that ends it. */
  private readonly subscribed = new Map<KnownObjectsView, () => void>();
  private readonly added = new Map<KnownObject, ObjectRow>();
  private readonly removed = new Set<KnownObject>();
  private usedAt = 0;
  private expiry?: ClockTimer;

  constructor(
    private readonly watchers: WatcherSet,
    private readonly clock: Clock,
  ) {}

  /** Forgets what it keeps for the next query. */
  close(): void {
    this.expiry?.cancel();
    this.expiry = undefined;
    this.forget();
  }

  /** Selects rows by names, in their order, and keeps the selection, as queries are repeated. */
  select({ resource, namespace, search, sort }: ObjectQuery): readonly ObjectRow[] {
    const rows = this.read();
    const isBackwards = sort === '-name';
    if (resource === undefined && namespace === undefined && search === undefined && !isBackwards) return rows;
    const key = JSON.stringify([resource, namespace, search, isBackwards]);
    let selection = this.selected.get(key);
    if (!selection) {
      const isNamed = matchName({ namespace, search });
      const isMeant = (row: ObjectRow): boolean =>
        (resource === undefined || row.qualified === resource) && isNamed(row);
      const compare = isBackwards ? (one: ListedName, other: ListedName) => compareNames(other, one) : compareNames;
      const found = rows.filter(isMeant);
      selection = { rows: isBackwards ? found.reverse() : found, isMeant, compare };
      if (this.selected.size >= MOST_SELECTIONS) this.selected.clear();
      this.selected.set(key, selection);
    }
    return selection.rows;
  }

  /** Updates the rows by the objects that were created and deleted, or from the beginning if other objects are watched now. */
  private read(): readonly ObjectRow[] {
    this.expireLater();
    const watchers = [...this.watchers.all];
    const isSame =
      watchers.length === this.subscribed.size && watchers.every(({ objects }) => this.subscribed.has(objects));
    if (!isSame) this.readAll(watchers);
    const { added, removed } = this;
    if (added.size + removed.size > FEW) {
      this.selected.clear();
      const left = removed.size > 0 ? this.rows.filter(({ known }) => !removed.has(known)) : this.rows;
      const news = [...added.values()].sort(compareNames);
      this.rows = [...mergeSorted<ObjectRow, ObjectRow>(news, left, compareNames)];
    } else if (added.size + removed.size > 0) {
      this.update({ rows: this.rows, isMeant: () => true, compare: compareNames });
      for (const selection of this.selected.values()) this.update(selection);
    }
    removed.clear();
    added.clear();
    return this.rows;
  }

  /** Removes the few rows of deleted objects, and inserts those of new ones. */
  private update({ rows, isMeant, compare }: Selection): void {
    for (const known of this.removed) {
      const named = known as ListedName;
      let place = findPlace(rows, (each) => compare(named, each));
      while (place < rows.length && rows[place].known !== known && compare(named, rows[place]) === 0) place += 1;
      if (rows[place]?.known === known) rows.splice(place, 1);
    }
    for (const row of this.added.values()) {
      if (!isMeant(row)) continue;
      const place = findPlace(rows, (each) => compare(row, each));
      rows.splice(place, 0, row);
    }
  }

  private readAll(watchers: readonly Pick<ResourceWatcher, 'resource' | 'objects'>[]): void {
    this.forget();
    for (const { resource, objects } of watchers) {
      const qualified = qualifiedName(resource);
      const record = (known: KnownObject, exists: boolean): void => {
        const { namespace, name = '' } = known;
        if (exists) this.added.set(known, { known, resource, qualified, namespace, name });
        else if (!this.added.delete(known)) this.removed.add(known);
      };
      for (const known of objects.values()) record(known, true);
      this.subscribed.set(objects, objects.follow(record));
    }
  }

  private forget(): void {
    for (const unsubscribe of this.subscribed.values()) unsubscribe();
    this.subscribed.clear();
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
