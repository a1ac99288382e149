import type { ObjectMeta } from '../../objects/kube-object.js';

/** Identifies an object with as little memory as possible, as there can be very many. */
export interface KnownObject {
  readonly uid?: string;
  readonly name?: string;
  readonly namespace?: string;
}

interface Entry extends KnownObject {
  /** The number of the list that the object was last seen in or after. */
  listNumber: number;
}

/**
 * Remembers which objects exist, so that a new list shows which ones have vanished while nobody watched.
 *
 * Holds the identities only, as there can be very many objects.
 */
export class KnownObjects {
  private readonly entries = new Map<string, Entry>();
  private listNumber = 0;

  get size(): number {
    return this.entries.size;
  }

  add(metadata: ObjectMeta): void {
    const { uid, name, namespace } = metadata;
    const key = keyOf(metadata);
    const entry = this.entries.get(key);
    if (entry) entry.listNumber = this.listNumber;
    else this.entries.set(key, { uid, name, namespace, listNumber: this.listNumber });
  }

  has(metadata: ObjectMeta): boolean {
    return this.entries.has(keyOf(metadata));
  }

  remove(metadata: ObjectMeta): void {
    this.entries.delete(keyOf(metadata));
  }

  /** Begins a list, also over again if one was not completed. */
  beginList(): void {
    this.listNumber++;
  }

  /** Completes a list: forgets and returns the objects that were not in it. */
  completeList(): KnownObject[] {
    const vanished: KnownObject[] = [];
    for (const [key, entry] of this.entries) {
      if (entry.listNumber === this.listNumber) continue;
      this.entries.delete(key);
      const { uid, name, namespace } = entry;
      vanished.push({ uid, name, namespace });
    }
    return vanished;
  }
}

/** Some extension servers give no uids. */
function keyOf({ uid, name, namespace }: ObjectMeta): string {
  return uid ?? `${namespace ?? ''}/${name}`;
}
