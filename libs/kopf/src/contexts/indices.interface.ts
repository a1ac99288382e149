/**
 * The values under one key of an index, one for each object that gave any; in no particular order, and never empty.
 * It shows the present state as long as it is a part of the index.
 */
export interface Store<V = any> extends Iterable<V> {
  readonly size: number;
  /** Tells whether any object has given such a value; plain objects and lists are compared by their content. */
  has(value: V): boolean;
  values(): IterableIterator<V>;
  forEach(callback: (value: V) => void): void;
  /** Copies the present values to a list. */
  toArray(): V[];
}

/**
 * A read-only overview of objects, kept up to date by an indexing method: keys with the values that were given for them.
 *
 * Lists and plain objects are keys by their content: `index.get(['default', 'web'])`. Looking up takes the same time for any size.
 */
export interface ReadonlyIndex<K = any, V = any> extends Iterable<[K, Store<V>]> {
  /** Counts the keys. */
  readonly size: number;
  get(key: K): Store<V> | undefined;
  has(key: K): boolean;
  keys(): IterableIterator<K>;
  values(): IterableIterator<Store<V>>;
  entries(): IterableIterator<[K, Store<V>]>;
  forEach(callback: (store: Store<V>, key: K) => void): void;
}

/** All indices of the operator by their names. */
export type Indices = Readonly<Record<string, ReadonlyIndex>>;
