// indexing: maps over objects in memory, kept by @Index handlers, and the gate that holds handlers of changes back until all existing
// objects are indexed. handling/ fills the indices object by object.
// May import: execution and what it may import.

import { Injectable } from '@nestjs/common';
import { currentScope } from '../execution/invocation.scope.js';
import { UnknownIndexError } from './unknown-index.error.js';
import type { Indices, ReadonlyIndex } from '../contexts/indices.interface.js';
import { ObjectIndex } from './object.index.js';

/** The indices by their names: writable for the indexing, readable for handlers and the application. */
@Injectable()
export class IndexRegistry {
  private readonly indices = new Map<string, ObjectIndex>();
  private readonly views = Object.create(null) as Record<string, ReadonlyIndex>;
  private isComplete = false;

  /** The indices that handlers keep, by their names. */
  get all(): Indices {
    return this.views as Indices;
  }

  /** The names of the indices. */
  get names(): readonly string[] {
    return Object.keys(this.views);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.views, name);
  }

  /**
   * Returns the index of the name: always the same one, empty until objects were listed.
   *
   * @throws UnknownIndexError if the application has started and there is no such index.
   */
  get<K = any, V = any>(name: string): ReadonlyIndex<K, V> {
    if (this.isComplete && !this.has(name)) throw new UnknownIndexError(name);
    return this.writable(name);
  }

  /** Returns the index of the name for writing, to be used by the indexing only. */
  writable(name: string): ObjectIndex {
    let index = this.indices.get(name);
    if (!index) this.indices.set(name, (index = new ObjectIndex(() => currentScope()?.onIndexRead?.(name))));
    return index;
  }

  /**
   * Declares all names that there are.
   *
   * @returns names that were requested before, but do not exist.
   */
  declare(names: readonly string[]): readonly string[] {
    for (const name of names) this.views[name] = this.writable(name);
    this.isComplete = true;
    return [...this.indices.keys()].filter((name) => !this.has(name));
  }

  /** Removes the indices that no handler keeps any more. @param left the names of the others. */
  withdraw(left: readonly string[]): void {
    for (const name of this.names) {
      if (left.includes(name)) continue;
      this.indices.get(name)?.clear();
      this.indices.delete(name);
      delete this.views[name];
    }
  }

  /** Empties all indices. */
  clear(): void {
    for (const index of this.indices.values()) index.clear();
  }
}
