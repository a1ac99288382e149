import type { Store } from '../contexts/indices.interface.js';
import { deepEqual } from 'kube-common';

/**
 * The values of one key by the objects that gave them. Most keys have a single value, which needs no `Map`. Handlers see it as a {@link
 * Store}; only the indexing writes into it.
 */
export class ObjectStore<K, V> implements Store<V> {
  private object?: string;
  private value?: V;
  private others?: Map<string, V>;

  constructor(readonly key: K) {}

  get size(): number {
    return (this.object === undefined ? 0 : 1) + (this.others?.size ?? 0);
  }

  has(value: V): boolean {
    for (const own of this) if (deepEqual(own, value)) return true;
    return false;
  }

  *values(): IterableIterator<V> {
    if (this.object !== undefined) yield this.value as V;
    if (this.others) yield* this.others.values();
  }

  [Symbol.iterator](): IterableIterator<V> {
    return this.values();
  }

  forEach(callback: (value: V) => void): void {
    for (const value of this) callback(value);
  }

  toArray(): V[] {
    return [...this];
  }

  put(object: string, value: V): void {
    if (this.object === object || (this.object === undefined && !this.others?.has(object))) {
      this.object = object;
      this.value = value;
    } else {
      (this.others ??= new Map<string, V>()).set(object, value);
    }
  }

  remove(object: string): void {
    if (this.object === object) this.object = this.value = undefined;
    else this.others?.delete(object);
  }
}
