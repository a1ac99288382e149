// storage: the objects of all resources under one growing revision, their recent history, and the journal on the disk.
// Takes the place of etcd: it compares revisions and reports changes, and knows neither kinds nor validation.
// May import: common, errors, resources.

import type { KubeObject } from '../resources/kube-object.js';
import type { Journal } from './journal.js';
import { ObjectMemory } from './object.memory.js';
import { type CollectionSnapshot, ResourceCollection } from './resource.collection.js';
import { StoredObject, storedAt, type StorageEvent, type StorageListener, type WriteCause } from './stored.object.js';

/** The error for an object that changed between the reading and the writing of a change. */
export class StaleWriteError extends Error {
  override readonly name = 'StaleWriteError';
}

/** All objects and their recent history at one moment. */
export interface StoreSnapshot {
  readonly revision: number;
  /** The revision before which no history is known. */
  readonly base: number;
  readonly collections: ReadonlyMap<string, CollectionSnapshot>;
}

/**
 * The objects of all resources under one revision that only grows.
 *
 * A write is in the journal before it is visible, and visible before listeners are called. Listeners are called in the order of revisions,
 * also if one of them writes.
 */
export class ObjectStore {
  private readonly collections = new Map<string, ResourceCollection>();
  private readonly listeners = new Set<StorageListener>();
  private readonly pending: StorageEvent[] = [];
  private readonly memory = new ObjectMemory();
  private latest = 1;
  private base = 1;
  private publishing = false;

  /** @param historySize how many changes of each resource are kept for watches that resume */
  constructor(
    private readonly journal: Journal,
    private readonly historySize: number,
  ) {}

  /** The revision of the last write. */
  get revision(): number {
    return this.latest;
  }

  /**
   * Reads the journal.
   *
   * @param snapshot the first state; the journal must be empty then
   */
  open(snapshot?: StoreSnapshot): void {
    this.journal.replay({
      base: (revision) => {
        this.base = revision;
        this.latest = Math.max(this.latest, revision);
      },
      change: (key, object, revision, deleted) => {
        const current = new StoredObject(object, revision);
        const previous = this.collection(key).get(current.namespace, current.name);
        const type = deleted ? 'DELETED' : previous ? 'MODIFIED' : 'ADDED';
        this.collection(key).apply({ type, collection: key, revision, current, previous }, revision > this.base);
        if (previous) this.release(previous);
        if (!deleted) this.memory.add(current);
        this.latest = Math.max(this.latest, revision);
      },
    });
    if (!snapshot) return;
    if (this.latest > 1) throw new Error('There are objects already, so the server cannot begin with a snapshot');
    this.adopt(snapshot);
  }

  /** Returns the state of all objects now. Nothing is copied: later changes copy what they touch. */
  snapshot(): StoreSnapshot {
    const collections = new Map([...this.collections].map(([key, collection]) => [key, collection.snapshot()]));
    return { revision: this.latest, base: this.base, collections };
  }

  /** Restores a snapshot, its revision included; listeners get the differences as changes. */
  restore(snapshot: StoreSnapshot): void {
    const changes = [...this.changesTo(snapshot)];
    this.adopt(snapshot);
    for (const change of changes) this.pending.push(change);
    if (!this.publishing) this.publishPending();
  }

  /**
   * Takes back the changes after a revision, without calling listeners.
   *
   * @returns the changes, oldest first
   * @throws RangeError if the revision is yet to come, or the history does not go back so far
   */
  rewind(revision: number): StorageEvent[] {
    if (!(revision <= this.latest))
      throw new RangeError(`There is no version ${revision}: ${this.latest} is the newest`);
    for (const { key, history } of this.collections.values()) {
      if (!history.covers(revision)) throw new RangeError(`The history of ${key} begins after the version ${revision}`);
    }
    this.latest = revision;
    const events = [...this.collections.values()].flatMap((collection) => collection.rewind(revision));
    return events.sort((left, right) => left.revision - right.revision);
  }

  /** Takes over a change of another store, as it is. */
  replicate(event: StorageEvent): void {
    this.commit(event);
  }

  close(): void {
    this.journal.close();
  }

  /** Returns the objects of a resource, by its storage key (`pods`, `deployments.apps`); empty if there are none. */
  collection(key: string): ResourceCollection {
    let collection = this.collections.get(key);
    if (!collection) {
      collection = new ResourceCollection(key, this.historySize, this.base);
      this.collections.set(key, collection);
    }
    return collection;
  }

  all(): Iterable<ResourceCollection> {
    return this.collections.values();
  }

  /** Calls the listener at each change of any resource. @returns the function that ends it */
  subscribe(listener: StorageListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /**
   * Writes a new object.
   * @throws StaleWriteError if the name is taken
   */
  create(key: string, object: KubeObject, cause?: WriteCause): StoredObject {
    const { namespace = '', name = '' } = object.metadata;
    if (this.collection(key).get(namespace, name)) throw new StaleWriteError(`${key} ${namespace}/${name} exists`);
    const current = storedAt(object, this.latest + 1);
    this.commit({ type: 'ADDED', collection: key, revision: current.revision, current, cause });
    return current;
  }

  /**
   * Writes a new state of an object.
   * @throws StaleWriteError if `previous` is not its state any more
   */
  update(key: string, previous: StoredObject, object: KubeObject, cause?: WriteCause): StoredObject {
    this.assertCurrent(key, previous);
    const current = storedAt(object, this.latest + 1);
    this.commit({ type: 'MODIFIED', collection: key, revision: current.revision, current, previous, cause });
    return current;
  }

  /**
   * Removes an object; its last event carries the stored state.
   *
   * @param object what `previous` holds, from a caller that has read it already
   * @throws StaleWriteError if `previous` is not its state any more
   */
  delete(key: string, previous: StoredObject, cause?: WriteCause, object = previous.read()): StoredObject {
    this.assertCurrent(key, previous);
    const current = storedAt(object, this.latest + 1);
    this.commit({ type: 'DELETED', collection: key, revision: current.revision, current, previous, cause });
    return current;
  }

  /** Forgets the changes so far, so that watches from before them get 410. */
  expireHistory(): void {
    for (const collection of this.collections.values()) collection.history.expire(this.latest);
  }

  private *changesTo({ collections, revision }: StoreSnapshot): Generator<StorageEvent> {
    const nothing: CollectionSnapshot = { buckets: new Map(), history: { events: [], lost: revision } };
    for (const key of new Set([...this.collections.keys(), ...collections.keys()])) {
      yield* this.collection(key).changesTo(collections.get(key) ?? nothing, revision);
    }
  }

  private adopt({ revision, base, collections }: StoreSnapshot): void {
    this.base = base;
    this.latest = revision;
    const nothing: CollectionSnapshot = { buckets: new Map(), history: { events: [], lost: base } };
    for (const [key, collection] of this.collections) collection.restore(collections.get(key) ?? nothing);
    for (const [key, collection] of collections) this.collection(key).restore(collection);
    this.journal.rewrite(revision, () => this.live());
  }

  private assertCurrent(key: string, previous: StoredObject): void {
    if (this.collection(key).get(previous.namespace, previous.name) !== previous) {
      throw new StaleWriteError(`${key} ${previous.namespace}/${previous.name} changed meanwhile`);
    }
  }

  private commit(event: StorageEvent): void {
    this.journal.append(event.collection, event.current, event.type === 'DELETED');
    this.latest = event.revision;
    this.collection(event.collection).apply(event);
    if (event.previous) this.release(event.previous);
    this.journal.compact(this.latest, () => this.live());
    this.pending.push(event);
    if (!this.publishing) this.publishPending();
    // Listeners have read the object: that does not count as use.
    if (event.type !== 'DELETED') this.memory.add(event.current);
  }

  private release(past: StoredObject): void {
    past.release();
    this.memory.forget(past);
  }

  private publishPending(): void {
    this.publishing = true;
    try {
      for (let event = this.pending.shift(); event; event = this.pending.shift()) {
        this.collection(event.collection).publish(event);
        for (const listener of this.listeners) listener(event);
      }
    } finally {
      this.publishing = false;
    }
  }

  private *live(): Generator<readonly [string, StoredObject]> {
    for (const [key, collection] of this.collections) {
      for (const object of collection.list()) yield [key, object];
    }
  }
}
