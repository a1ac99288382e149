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
  /** Is true if the user has named the resource, so that its objects are shown even if no operator has handled any. */
  readonly isAsked: boolean;
  /** Counts the objects on which operators have left something. */
  handled: number;
}

/**
 * All objects of the resources that are watched. Those of a resource are shown as soon as an operator has left something on any of them: the
 * others are then objects that it has not handled.
 */
export class ObservedObjects {
  private readonly kinds = new Map<string, ObservedKind>();
  private sorted?: readonly ObservedEntry[];

  /** Takes note of a resource whose objects follow. */
  add(resource: Resource, isAsked: boolean): void {
    const name = qualifiedName(resource);
    if (!this.kinds.has(name)) this.kinds.set(name, { resource, isAsked, entries: new Map(), handled: 0 });
    this.sorted = undefined;
  }

  /** Lets a resource go that the cluster does not have any more. */
  remove(resource: Resource): void {
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
    else kind.entries.set(keyOf(object), { resource, resourceName: qualifiedName(resource), object });
    if (!entry || isShown(kind) !== wasShown) this.sorted = undefined;
    return before?.uid === object.uid ? before : undefined;
  }

  /** Forgets an object. @returns its last state */
  delete(resource: Resource, object: Pick<ObservedObject, 'namespace' | 'name'>): ObservedObject | undefined {
    const kind = this.kinds.get(qualifiedName(resource));
    const before = kind?.entries.get(keyOf(object));
    if (!kind || !before) return undefined;
    kind.entries.delete(keyOf(object));
    kind.handled -= Number(before.object.isHandled);
    this.sorted = undefined;
    return before.object;
  }

  /** @param resourceName the plural with the group. */
  find(resourceName: string, object: Pick<ObservedObject, 'namespace' | 'name'>): ObservedEntry | undefined {
    return this.kinds.get(resourceName)?.entries.get(keyOf(object));
  }

  /** Lists the resources whose objects are shown, with the number of their objects. */
  resources(): readonly { readonly resource: Resource; readonly objects: number }[] {
    return this.shown().map(({ resource, entries }) => ({ resource, objects: entries.size }));
  }

  /** Lists the objects that are shown, by namespace, name, and resource. The order is computed when it is needed. */
  list(): readonly ObservedEntry[] {
    return (this.sorted ??= this.shown()
      .flatMap(({ entries }) => [...entries.values()])
      .sort(byName));
  }

  private shown(): readonly ObservedKind[] {
    return [...this.kinds.values()].filter(isShown);
  }
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
