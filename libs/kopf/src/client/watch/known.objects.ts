import type { ObjectMeta } from '../../objects/kube-object.js';

/** The identity of an object, which is small, as there can be very many objects. */
export interface KnownObject {
  readonly uid?: string;
  readonly name?: string;
  readonly namespace?: string;
  /** Whether the object is being deleted, and still exists as it has finalizers. */
  readonly isDeleting?: boolean;
}

/** The objects that a watch knows, for inspection. */
export interface KnownObjectsView {
  readonly size: number;
  /** Whether the object exists, as far as the watch has shown. */
  has(metadata: ObjectMeta): boolean;
  /** Finds an object by its uid. */
  get(uid: string): KnownObject | undefined;
  values(): Iterable<KnownObject>;
  /** The objects that are being deleted; there are few. */
  readonly deleting: ReadonlySet<KnownObject>;
  /** Calls the listener for each object that is added or removed, until the returned function is called. */
  follow(listener: KnownObjectsListener): () => void;
}

/** A listener to the objects that are added (`exists`) and removed. */
export type KnownObjectsListener = (object: KnownObject, exists: boolean) => void;

interface Entry extends KnownObject {
  isDeleting: boolean;
  /** The number of the last list in or after which the object was seen. */
  listNumber: number;
}

/**
 * The objects that exist, as far as the watch has shown. A new list shows which of them were deleted while the watch was interrupted.
 *
 * It keeps only their identities, as there can be very many objects.
 */
export class KnownObjects implements KnownObjectsView {
  private readonly entries = new Map<string, Entry>();
  private readonly deletingEntries = new Set<Entry>();
  private listNumber = 0;
  /** The objects that the present list has not contained so far, by their names; created when the list contains an unknown object. */
  private unlisted?: Map<string, Entry>;
  /** Whether a list is being read after an earlier one. */
  private isRelisting = false;
  private listeners?: Set<KnownObjectsListener>;

  get size(): number {
    return this.entries.size;
  }

  get deleting(): ReadonlySet<KnownObject> {
    return this.deletingEntries;
  }

  /**
   * Adds an object, or marks it as still existing.
   *
   * @returns the object of the same name that it has replaced while the watch was interrupted; it is removed.
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

  /** Begins a list, even if the last one was not completed. */
  beginList(): void {
    this.listNumber++;
    this.isRelisting = this.entries.size > 0;
    this.unlisted = undefined;
  }

  /** Completes a list. Removes and returns the objects that were not in it. */
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

  /** Removes the object with the name of another one, unless it is in the list, too. @returns the removed object */
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

/** Returns the key of an object. Some extension API servers have no uids. */
function keyOf({ uid, name, namespace }: KnownObject): string {
  return uid ?? placeOf({ name, namespace });
}

function placeOf({ name, namespace }: KnownObject): string {
  return `${namespace ?? ''}/${name}`;
}

function identityOf({ uid, name, namespace }: KnownObject): KnownObject {
  return { uid, name, namespace };
}
