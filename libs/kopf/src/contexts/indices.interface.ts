/**
 * The values under one key of an index, one for each object that has returned a value; in no particular order, and never empty. It shows
 * the current state as long as it is a part of the index.
 */
export interface Store<V = any> extends Iterable<V> {
  readonly size: number;
  /** Checks whether any object has returned such a value; plain objects and lists are compared by their content. */
  has(value: V): boolean;
  values(): IterableIterator<V>;
  forEach(callback: (value: V) => void): void;
  /** Copies the present values to a list. */
  toArray(): V[];
}

/**
 * A read-only index of objects, kept up to date by an indexing method: keys with the returned values.
 *
 * Lists and plain objects are keys by their content: `index.get(['default', 'web'])`. A look-up takes the same time for any size.
 */
export interface ReadonlyIndex<K = any, V = any> extends Iterable<[K, Store<V>]> {
  /** The number of keys. */
  readonly size: number;
  get(key: K): Store<V> | undefined;
  has(key: K): boolean;
  keys(): IterableIterator<K>;
  values(): IterableIterator<Store<V>>;
  entries(): IterableIterator<[K, Store<V>]>;
  forEach(callback: (store: Store<V>, key: K) => void): void;
}

/**
 * All indices of the operator by their names. Declare the types of yours once, and `indices` has them in all contexts.
 *
 * @example
 * declare module 'nestjs-kopf' {
 *   interface Indices {
 *     podsByNode: IndexOf<PodOperator['podsByNode']>;
 *   }
 * }
 */
export interface Indices {
  readonly [name: string]: ReadonlyIndex;
}

/** Indices by their names, independently of the users' declarations. */
export type IndicesByName = Readonly<Record<string, ReadonlyIndex>>;

/**
 * The index that a method with `@Index()` keeps, typed by its result: the keys and values of a `Map` or of a plain object; anything else is
 * a value under the key `null`.
 *
 * @example
 * constructor(@InjectIndex('podsByNode') private readonly pods: IndexOf<PodOperator['podsByNode']>) {}
 */
export type IndexOf<Method extends (...args: any[]) => unknown> = IndexOfResult<
  Exclude<Awaited<ReturnType<Method>>, null | undefined | void>
>;

/** The type of the index for one type of results. */
export type IndexOfResult<Result> = 0 extends 1 & Result
  ? ReadonlyIndex
  : [Result] extends [ReadonlyMap<infer Key, infer Value>]
    ? ReadonlyIndex<Key, Value>
    : [Result] extends [readonly unknown[]]
      ? ReadonlyIndex<null, Result>
      : [Result] extends [object]
        ? ReadonlyIndex<string, Result[keyof Result]>
        : ReadonlyIndex<null, Result>;
