import { qualifiedName, type Resource } from '../../resources/resources.js';
import { compareNames } from '../objects/object.query.js';
import type { ObservedObject } from './observed.object.js';

/** One object with its resource; it stays the same as long as the object is there, so that lists of them need not be sorted again. */
export interface ObservedEntry {
  readonly resource: Resource;
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resourceName: string;
  /** The present state of the object. */
  readonly object: ObservedObject;
}

type MutableEntry = { -readonly [Member in keyof ObservedEntry]: ObservedEntry[Member] };

/** The objects of one resource. */
interface ObservedKind {
  readonly resource: Resource;
  readonly entries: Map<string, MutableEntry>;
  /** Whether the user has named the resource, so that its objects are shown even if no operator has handled any. */
  readonly isAsked: boolean;
  /** The number of objects on which operators have left state. */
  handled: number;
}

/**
 * All objects of the watched resources. The objects of a resource are shown as soon as an operator has left state on one of them; the
 * others are then objects that no operator has handled.
 */
export class ObservedObjects {
  private readonly kinds = new Map<string, ObservedKind>();
  private sorted?: ObservedEntry[];
  private readonly activeEntries = new Set<ObservedEntry>();

  /** Adds a resource, whose objects are added afterwards. */
  add(resource: Resource, isAsked: boolean): void {
    const name = qualifiedName(resource);
    if (!this.kinds.has(name)) this.kinds.set(name, { resource, isAsked, entries: new Map(), handled: 0 });
    this.sorted = undefined;
  }

  /** Removes a resource that the cluster does not serve any more. */
  remove(resource: Resource): void {
    const kind = this.kinds.get(qualifiedName(resource));
    for (const entry of kind?.entries.values() ?? []) this.activeEntries.delete(entry);
    this.kinds.delete(qualifiedName(resource));
    this.sorted = undefined;
  }

  /** Takes the present state of an object. @returns the state before, if it is the same object */
  put(resource: Resource, object: ObservedObject): ObservedObject | undefined {
    const kind = this.kinds.get(qualifiedName(resource));
    if (!kind) return undefined;
    const entry = kind.entries.get(keyOf(object));
    const before = entry?.object;
    const wasShown = isShown(kind);
    kind.handled += Number(object.isHandled) - Number(before?.isHandled ?? false);
    if (entry) entry.object = object;
    else {
      const added = { resource, resourceName: qualifiedName(resource), object };
      kind.entries.set(keyOf(object), added);
      if (wasShown) this.insert(added);
    }
    if (isShown(kind) !== wasShown) this.sorted = undefined;
    this.noteActivity(kind.entries.get(keyOf(object))!);
    return before?.uid === object.uid ? before : undefined;
  }

  /** Forgets an object. @returns its last state */
  delete(resource: Resource, object: Pick<ObservedObject, 'namespace' | 'name'>): ObservedObject | undefined {
    const kind = this.kinds.get(qualifiedName(resource));
    const before = kind?.entries.get(keyOf(object));
    if (!kind || !before) return undefined;
    const wasShown = isShown(kind);
    kind.entries.delete(keyOf(object));
    this.activeEntries.delete(before);
    kind.handled -= Number(before.object.isHandled);
    if (wasShown) this.take(before);
    if (isShown(kind) !== wasShown) this.sorted = undefined;
    return before.object;
  }

  /** @param resourceName the plural with the group. */
  find(resourceName: string, object: Pick<ObservedObject, 'namespace' | 'name'>): ObservedEntry | undefined {
    return this.kinds.get(resourceName)?.entries.get(keyOf(object));
  }

  /** Returns the resources whose objects are shown, with the number of their objects. */
  resources(): readonly { readonly resource: Resource; readonly objects: number }[] {
    return this.shown().map(({ resource, entries }) => ({ resource, objects: entries.size }));
  }

  /** Returns the objects that are shown, by namespace, name, and resource. The order is computed when it is needed. */
  list(): readonly ObservedEntry[] {
    return (this.sorted ??= this.shown()
      .flatMap(({ entries }) => [...entries.values()])
      .sort(byName));
  }

  /** Returns those objects that are not idle, by name: few of very many, usually. */
  active(): readonly ObservedEntry[] {
    const shown = new Set(this.shown().map(({ resource }) => resource));
    return [...this.activeEntries].filter(({ resource }) => shown.has(resource)).sort(byName);
  }

  private noteActivity(entry: ObservedEntry): void {
    if (isActive(entry.object)) this.activeEntries.add(entry);
    else this.activeEntries.delete(entry);
  }

  /** Inserts an entry into the sorted list, as sorting all entries for each creation would take too long. */
  private insert(entry: ObservedEntry): void {
    if (this.sorted) this.sorted.splice(findPlace(this.sorted, entry), 0, entry);
  }

  private take(entry: ObservedEntry): void {
    if (this.sorted) this.sorted.splice(findPlace(this.sorted, entry), 1);
  }

  private shown(): readonly ObservedKind[] {
    return [...this.kinds.values()].filter(isShown);
  }
}

/** Finds where an entry stands in a sorted list, or belongs. */
function findPlace(sorted: readonly ObservedEntry[], entry: ObservedEntry): number {
  let [start, end] = [0, sorted.length];
  while (start < end) {
    const middle = (start + end) >> 1;
    if (byName(sorted[middle], entry) < 0) start = middle + 1;
    else end = middle;
  }
  return start;
}

function isActive({ progress, deletingSince, failure }: ObservedObject): boolean {
  return progress.length > 0 || deletingSince !== undefined || failure !== undefined;
}

function isShown({ isAsked, handled }: ObservedKind): boolean {
  return isAsked || handled > 0;
}

function keyOf({ namespace = '', name }: Pick<ObservedObject, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function byName(one: ObservedEntry, other: ObservedEntry): number {
  const order = compareNames(one.object, other.object);
  if (order !== 0 || one.resourceName === other.resourceName) return order;
  return one.resourceName < other.resourceName ? -1 : 1;
}
