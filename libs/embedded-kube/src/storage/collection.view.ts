import type { SortedBucket } from './sorted.bucket.js';
import type { StoredObject } from './stored.object.js';

/** The objects of a collection in the order of their keys (`namespace/name`), now or at an earlier revision. */
export class CollectionView {
  private readonly pastObjects: readonly StoredObject[];

  /**
   * @param buckets the namespaces with their objects, in order
   * @param past by their keys, the objects that are different now, as they were then; `undefined` if they did not exist
   */
  constructor(
    private readonly buckets: readonly (readonly [namespace: string, bucket: SortedBucket])[],
    private readonly past: ReadonlyMap<string, StoredObject | undefined>,
  ) {
    const objects = [...past.values()].filter((object) => object !== undefined);
    this.pastObjects = objects.sort((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1));
  }

  /** @param key where to begin, exclusively; without one, at the beginning */
  *after(key = ''): Generator<StoredObject> {
    const past = this.pastObjects.filter((object) => objectKey(object) > key);
    if (this.past.size === 0) {
      yield* this.liveAfter(key);
      return;
    }
    let index = 0;
    for (const object of this.liveAfter(key)) {
      const liveKey = objectKey(object);
      while (index < past.length && objectKey(past[index]!) < liveKey) yield past[index++]!;
      if (!this.past.has(liveKey)) yield object;
    }
    yield* past.slice(index);
  }

  /** Returns the objects after a key at once: faster than one by one. */
  listAfter(key = ''): StoredObject[] {
    if (key || this.past.size > 0) return [...this.after(key)];
    if (this.buckets.length === 1) return this.buckets[0]![1].list();
    return this.buckets.flatMap(([, bucket]) => bucket.list());
  }

  countAfter(key: string): number {
    let count = this.pastObjects.filter((object) => objectKey(object) > key).length;
    for (const [namespace, bucket] of this.buckets) {
      const from = startIn(namespace, key);
      if (from !== undefined) count += bucket.countAfter(from);
      for (const pastKey of this.past.keys()) {
        const [pastNamespace, name] = splitKey(pastKey);
        if (pastNamespace === namespace && pastKey > key && bucket.get(name)) count -= 1;
      }
    }
    return count;
  }

  private *liveAfter(key: string): Generator<StoredObject> {
    for (const [namespace, bucket] of this.buckets) {
      const from = startIn(namespace, key);
      if (from !== undefined) yield* bucket.after(from);
    }
  }
}

/** Returns the place of an object in the order of a list. */
export function objectKey({ namespace, name }: StoredObject): string {
  return `${namespace}/${name}`;
}

/** Returns the name after which a namespace's objects come after a key; `undefined` if none do. */
function startIn(namespace: string, key: string): string | undefined {
  const [keyNamespace, name] = splitKey(key);
  if (namespace === keyNamespace) return name;
  return `${namespace}/` > key ? '' : undefined;
}

function splitKey(key: string): [namespace: string, name: string] {
  const slash = key.indexOf('/');
  return slash < 0 ? ['', ''] : [key.slice(0, slash), key.slice(slash + 1)];
}
