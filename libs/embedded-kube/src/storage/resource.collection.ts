import { CollectionView, objectKey } from './collection.view.js';
import { EventHistory, type HistorySnapshot } from './event.history.js';
import { LabelIndex } from './label.index.js';
import { SortedBucket } from './sorted.bucket.js';
import { storedAt, type StoredObject, type StorageEvent, type StorageListener } from './stored.object.js';

/** The objects of one resource at one moment, shared with the collection that they were taken from. */
export interface CollectionSnapshot {
  readonly buckets: ReadonlyMap<string, SortedBucket>;
  readonly history: HistorySnapshot;
}

/** All objects of one resource, indexed by namespace and name, with the latest changes. */
export class ResourceCollection {
  readonly history: EventHistory;
  private buckets = new Map<string, SortedBucket>();
  private readonly listeners = new Set<StorageListener>();
  private labels: LabelIndex | undefined;

  constructor(
    readonly key: string,
    historySize: number,
    since: number,
  ) {
    this.history = new EventHistory(historySize, since);
  }

  get size(): number {
    let size = 0;
    for (const bucket of this.buckets.values()) size += bucket.size;
    return size;
  }

  get(namespace: string, name: string): StoredObject | undefined {
    return this.buckets.get(namespace)?.get(name);
  }

  /** Returns the objects of a namespace, or of all, in the order of their keys (`namespace/name`). */
  list(namespace?: string): StoredObject[] {
    if (namespace !== undefined) return this.buckets.get(namespace)?.list() ?? [];
    const all = this.namespaces().map((name) => this.buckets.get(name)!.list());
    return all.length === 1 ? all[0]! : all.flat();
  }

  /**
   * Returns a view of the objects, to be read in parts.
   *
   * @param revision an earlier one that the history covers; `undefined` for now
   */
  view(revision: number | undefined, namespace?: string): CollectionView {
    const sorted = namespace === undefined ? this.namespaces() : this.buckets.has(namespace) ? [namespace] : [];
    const past = new Map<string, StoredObject | undefined>();
    for (const { current, previous } of revision === undefined ? [] : this.history.since(revision)) {
      const key = objectKey(current);
      const concerned = namespace === undefined || current.namespace === namespace;
      if (concerned && !past.has(key)) past.set(key, previous);
    }
    return new CollectionView(
      sorted.map((name) => [name, this.buckets.get(name)!]),
      past,
    );
  }

  /** Indexes a label for {@link labelled}. @returns a promise of the end, if that takes longer than other requests can wait */
  prepareLabel(key: string): Promise<void> | undefined {
    return this.labelIndex().prepare(key);
  }

  /** Returns the objects that have one of the values of a label, in the order of their keys; other objects are not looked at. */
  labelled(key: string, values: readonly string[], namespace?: string): StoredObject[] {
    const found = this.labelIndex().find(key, values);
    const chosen = namespace === undefined ? found : found.filter((each) => each.namespace === namespace);
    return chosen.sort((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1));
  }

  /** Calls the listener at each later change. @returns the function that ends it */
  subscribe(listener: StorageListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Applies a change; without a history for an object that is only restored. */
  apply(event: StorageEvent, remember = true): void {
    const { namespace, name } = event.current;
    if (event.type === 'DELETED') this.remove(namespace, name);
    else this.bucketOf(namespace).set(name, event.current);
    this.labels?.replace(event.previous, event.type === 'DELETED' ? undefined : event.current);
    if (remember) this.history.push(event);
  }

  /** Returns the objects as they are now. Nothing is copied: later changes copy the namespace that they are in. */
  snapshot(): CollectionSnapshot {
    const buckets = new Map([...this.buckets].map(([namespace, bucket]) => [namespace, bucket.share()]));
    return { buckets, history: this.history.snapshot() };
  }

  /** Replaces the objects and the history by those of a snapshot. */
  restore({ buckets, history }: CollectionSnapshot): void {
    this.buckets = new Map(buckets);
    this.labels = undefined;
    this.history.restore(history);
  }

  /** Takes back the changes after a revision that the history covers. @returns the changes, oldest first */
  rewind(revision: number): StorageEvent[] {
    const events = this.history.rewind(revision);
    this.labels = undefined;
    for (const { current, previous } of events.toReversed()) {
      const { namespace, name } = current;
      if (previous) this.bucketOf(namespace).set(name, previous);
      else this.remove(namespace, name);
    }
    return events;
  }

  /** Yields the changes that lead to a snapshot. */
  *changesTo({ buckets: next }: CollectionSnapshot, revision: number): Generator<StorageEvent> {
    const collection = this.key;
    for (const [namespace, bucket] of this.buckets) {
      const wanted = next.get(namespace);
      for (const previous of wanted === bucket ? [] : bucket.list()) {
        if (wanted?.get(previous.name)) continue;
        yield { type: 'DELETED', collection, revision, current: storedAt(previous.object, revision), previous };
      }
    }
    for (const [namespace, bucket] of next) {
      const present = this.buckets.get(namespace);
      for (const current of bucket === present ? [] : bucket.list()) {
        const previous = present?.get(current.name);
        if (previous === current) continue;
        yield { type: previous ? 'MODIFIED' : 'ADDED', collection, revision, current, ...(previous && { previous }) };
      }
    }
  }

  publish(event: StorageEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  private labelIndex(): LabelIndex {
    return (this.labels ??= new LabelIndex(
      () => this.list(),
      (object) => this.get(object.namespace, object.name) === object,
    ));
  }

  /** Returns the namespaces in the order of their objects' keys. */
  private namespaces(): string[] {
    return [...this.buckets.keys()].sort((a, b) => (`${a}/` < `${b}/` ? -1 : 1));
  }

  private bucketOf(namespace: string): SortedBucket {
    let bucket = this.buckets.get(namespace);
    if (!bucket || bucket.isShared) this.buckets.set(namespace, (bucket = bucket?.copy() ?? new SortedBucket()));
    return bucket;
  }

  private remove(namespace: string, name: string): void {
    if (!this.get(namespace, name)) return;
    const bucket = this.bucketOf(namespace);
    bucket.delete(name);
    if (bucket.size === 0) this.buckets.delete(namespace);
  }
}
