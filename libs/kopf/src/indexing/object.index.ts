import type { ReadonlyIndex, Store } from '../contexts/indices.interface.js';
import { toMapKey } from './index.keys.js';
import { ObjectStore } from './object.store.js';

/**
 * One index: stores by their keys and, in reverse, the stores with values of an object, so that replacing and removing an object takes time
 * in proportion to its keys, however many objects there are. Handlers see it as a {@link ReadonlyIndex}; only the indexing writes into it.
 */
export class ObjectIndex<K = any, V = any> implements ReadonlyIndex<K, V> {
  private readonly stores = new Map<unknown, ObjectStore<K, V>>();
  private readonly storesOf = new Map<string, ObjectStore<K, V> | ReadonlySet<ObjectStore<K, V>>>();

  /** @param onRead called before each read; its errors are thrown by the read. @default nothing is called */
  constructor(private readonly onRead?: () => void) {}

  get size(): number {
    this.onRead?.();
    return this.stores.size;
  }

  get(key: K): Store<V> | undefined {
    this.onRead?.();
    return this.stores.get(toMapKey(key));
  }

  has(key: K): boolean {
    this.onRead?.();
    return this.stores.has(toMapKey(key));
  }

  *keys(): IterableIterator<K> {
    this.onRead?.();
    for (const { key } of this.stores.values()) yield key;
  }

  values(): IterableIterator<Store<V>> {
    this.onRead?.();
    return this.stores.values();
  }

  *entries(): IterableIterator<[K, Store<V>]> {
    this.onRead?.();
    for (const store of this.stores.values()) yield [store.key, store];
  }

  [Symbol.iterator](): IterableIterator<[K, Store<V>]> {
    return this.entries();
  }

  forEach(callback: (store: Store<V>, key: K) => void): void {
    for (const [key, store] of this.entries()) callback(store, key);
  }

  /** Replaces the entries of the object by the given ones. */
  replace(object: string, entries: Iterable<readonly [K, V]>): void {
    const stores = new Set<ObjectStore<K, V>>();
    for (const [key, value] of entries) {
      const store = this.ensureStore(key);
      store.put(object, value);
      stores.add(store);
    }
    for (const store of this.heldBy(object)) if (!stores.has(store)) this.removeFrom(store, object);
    if (stores.size === 0) this.storesOf.delete(object);
    else this.storesOf.set(object, stores.size === 1 ? [...stores][0] : stores);
  }

  /** Removes the entries of the object, and keys without values. */
  discard(object: string): void {
    for (const store of this.heldBy(object)) this.removeFrom(store, object);
    this.storesOf.delete(object);
  }

  clear(): void {
    this.stores.clear();
    this.storesOf.clear();
  }

  private heldBy(object: string): Iterable<ObjectStore<K, V>> {
    const held = this.storesOf.get(object);
    if (!held) return [];
    return held instanceof ObjectStore ? [held] : held;
  }

  private ensureStore(key: K): ObjectStore<K, V> {
    const mapKey = toMapKey(key);
    let store = this.stores.get(mapKey);
    if (!store) {
      // The key is copied, so that the index does not change if the handler changes the key later.
      store = new ObjectStore<K, V>(Array.isArray(key) ? ([...(key as unknown[])] as K) : (key ?? null)!);
      this.stores.set(mapKey, store);
    }
    return store;
  }

  private removeFrom(store: ObjectStore<K, V>, object: string): void {
    store.remove(object);
    if (store.size === 0) this.stores.delete(toMapKey(store.key));
  }
}
