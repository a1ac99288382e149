import { CollectionView, objectKey } from './collection.view.js';
import { EventHistory } from './event.history.js';
import { SortedBucket } from './sorted.bucket.js';
import type { StoredObject, StorageEvent, StorageListener } from './stored.object.js';

/** All objects of one resource, indexed by namespace and name, with the latest changes. */
export class ResourceCollection {
  readonly history: EventHistory;
  private readonly buckets = new Map<string, SortedBucket>();
  private readonly listeners = new Set<StorageListener>();

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

  /** The objects of a namespace, or of all, in the order of their keys (`namespace/name`). */
  list(namespace?: string): StoredObject[] {
    return [...this.view(undefined, namespace).after()];
  }

  /**
   * The same, to be read in parts.
   *
   * @param revision an earlier one that the history covers; `undefined` for now
   */
  view(revision: number | undefined, namespace?: string): CollectionView {
    const names = namespace === undefined ? [...this.buckets.keys()] : this.buckets.has(namespace) ? [namespace] : [];
    const sorted = names.sort((a, b) => (`${a}/` < `${b}/` ? -1 : 1));
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

  /** Calls the listener at each later change; gives the function that ends it. */
  subscribe(listener: StorageListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Takes a change in; without a history for what is only restored. */
  apply(event: StorageEvent, remember = true): void {
    const { namespace, name } = event.current;
    if (event.type === 'DELETED') this.remove(namespace, name);
    else this.bucketOf(namespace).set(name, event.current);
    if (remember) this.history.push(event);
  }

  publish(event: StorageEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  private bucketOf(namespace: string): SortedBucket {
    let bucket = this.buckets.get(namespace);
    if (!bucket) this.buckets.set(namespace, (bucket = new SortedBucket()));
    return bucket;
  }

  private remove(namespace: string, name: string): void {
    const bucket = this.buckets.get(namespace);
    bucket?.delete(name);
    if (bucket?.size === 0) this.buckets.delete(namespace);
  }
}
