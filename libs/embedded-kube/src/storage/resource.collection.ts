import { EventHistory } from './event.history.js';
import { SortedBucket } from './sorted.bucket.js';
import type { StorageEvent, StorageListener } from './storage.event.js';
import type { StoredObject } from './stored.object.js';

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
    if (namespace !== undefined) return [...(this.buckets.get(namespace)?.values() ?? [])];
    const namespaces = [...this.buckets.keys()].sort((a, b) => (`${a}/` < `${b}/` ? -1 : 1));
    return namespaces.flatMap((each) => [...this.buckets.get(each)!.values()]);
  }

  /** The same as it was at an earlier revision that the history covers. */
  listAt(revision: number, namespace?: string): StoredObject[] {
    const past = new Map<string, StoredObject | undefined>();
    for (const { current, previous } of this.history.since(revision)) {
      const key = objectKey(current);
      if (!past.has(key)) past.set(key, previous);
    }
    const objects = this.list(namespace);
    if (past.size === 0) return objects;
    const kept = objects.filter((object) => !past.has(objectKey(object)));
    for (const object of past.values()) {
      if (object && (namespace === undefined || object.namespace === namespace)) kept.push(object);
    }
    return kept.sort((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1));
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

/** The place of an object in the order of a list. */
export function objectKey(object: StoredObject): string {
  return `${object.namespace}/${object.name}`;
}
