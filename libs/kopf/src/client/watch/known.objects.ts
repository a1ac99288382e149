import type { ObjectMeta } from '../../objects/kube-object.js';

/** Identifies an object with as little memory as possible, as there can be very many. */
export interface KnownObject {
  readonly uid?: string;
  readonly name?: string;
  readonly namespace?: string;
  /** Is true once somebody has deleted it, and finalizers hold it. */
  readonly isDeleting?: boolean;
}

/** The objects that a watch knows, for those who show them. */
export interface KnownObjectsView {
  readonly size: number;
  /** Tells whether the object exists, as far as the watch has seen. */
  has(metadata: ObjectMeta): boolean;
  /** Finds an object by its uid. */
  get(uid: string): KnownObject | undefined;
  values(): Iterable<KnownObject>;
  /** The objects that are being deleted, which are few. */
  readonly deleting: ReadonlySet<KnownObject>;
  /** Has the listener told which objects come and go from here on, until the returned function is called. */
  follow(listener: KnownObjectsListener): () => void;
}

/** Is told that there is another object, or that one has gone. */
export type KnownObjectsListener = (object: KnownObject, exists: boolean) => void;

interface Entry extends KnownObject {
  isDeleting: boolean;
  /** The number of the list that the object was last seen in or after. */
  listNumber: number;
}

/**
 * Remembers which objects exist, so that a new list shows which ones have vanished while nobody watched.
 *
 * Holds the identities only, as there can be very many objects.
 */
export class KnownObjects implements KnownObjectsView {
  private readonly entries = new Map<string, Entry>();
  private readonly deletingEntries = new Set<Entry>();
  private listNumber = 0;
  /** The objects that were not in the list so far, by their names; made when the first object comes in it that was not known. */
  private unlisted?: Map<string, Entry>;
  /** Is true while a list is read after an earlier one. */
  private isRelisting = false;
  private listeners?: Set<KnownObjectsListener>;

  get size(): number {
    return this.entries.size;
  }

  get deleting(): ReadonlySet<KnownObject> {
    return this.deletingEntries;
  }

  /**
   * Adds an object, or notes that it is still there.
   *
   * @returns the object of the same name whose place it has taken while nobody watched; it is forgotten.
   */
  add(metadata: ObjectMeta): KnownObject | undefined {
    const { uid, name, namespace, deletionTimestamp } = metadata;
    const { listNumber } = this;
    const isDeleting = deletionTimestamp !== undefined;
    const key = keyOf(metadata);
    const entry = this.entries.get(key);
    if (entry) {
      entry.listNumber = listNumber;
      if (entry.isDeleting !== isDeleting) this.noteDeleting(entry, isDeleting);
      return undefined;
    }
    const replaced = this.isRelisting ? this.takeUnlisted(metadata) : undefined;
    const added = { uid, name, namespace, isDeleting, listNumber };
    this.entries.set(key, added);
    if (isDeleting) this.noteDeleting(added, true);
    if (this.listeners) this.tell(added, true);
    return replaced;
  }

  get(uid: string): KnownObject | undefined {
    return this.entries.get(uid);
  }

  values(): Iterable<KnownObject> {
    return this.entries.values();
  }

  has(metadata: ObjectMeta): boolean {
    return this.entries.has(keyOf(metadata));
  }

  remove(metadata: ObjectMeta): void {
    this.forget(keyOf(metadata));
  }

  /** Begins a list, also over again if one was not completed. */
  beginList(): void {
    this.listNumber++;
    this.isRelisting = this.entries.size > 0;
    this.unlisted = undefined;
  }

  /** Completes a list: forgets and returns the objects that were not in it. */
  completeList(): KnownObject[] {
    this.isRelisting = false;
    this.unlisted = undefined;
    const vanished: KnownObject[] = [];
    for (const [key, entry] of this.entries) {
      if (entry.listNumber === this.listNumber) continue;
      this.forget(key);
      vanished.push(identityOf(entry));
    }
    return vanished;
  }

  follow(listener: KnownObjectsListener): () => void {
    const listeners = (this.listeners ??= new Set());
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners === listeners) this.listeners = undefined;
    };
  }

  /** Forgets the object that is known by the name of another one, unless it is in the list as well. @returns it */
  private takeUnlisted(metadata: ObjectMeta): KnownObject | undefined {
    if (!this.unlisted) {
      const entries = [...this.entries.values()].filter(({ listNumber }) => listNumber !== this.listNumber);
      this.unlisted = new Map(entries.map((entry) => [placeOf(entry), entry]));
    }
    const entry = this.unlisted.get(placeOf(metadata));
    if (!entry || entry.listNumber === this.listNumber) return undefined;
    this.forget(keyOf(entry));
    return identityOf(entry);
  }

  private noteDeleting(entry: Entry, isDeleting: boolean): void {
    entry.isDeleting = isDeleting;
    if (isDeleting) this.deletingEntries.add(entry);
    else this.deletingEntries.delete(entry);
  }

  private forget(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    this.deletingEntries.delete(entry);
    if (this.listeners) this.tell(entry, false);
  }

  private tell(object: KnownObject, exists: boolean): void {
    for (const listener of this.listeners ?? []) listener(object, exists);
  }
}

/** Some extension servers give no uids. */
function keyOf({ uid, name, namespace }: KnownObject): string {
  return uid ?? placeOf({ name, namespace });
}

function placeOf({ name, namespace }: KnownObject): string {
  return `${namespace ?? ''}/${name}`;
}

function identityOf({ uid, name, namespace }: KnownObject): KnownObject {
  return { uid, name, namespace };
}
