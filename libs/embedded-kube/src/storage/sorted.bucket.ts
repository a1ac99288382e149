import type { StoredObject } from './stored.object.js';

/** The number of objects beyond which a part of the list is divided. */
const PART = 512;

/**
 * The objects of one namespace, found by name and listed in the names' order.
 *
 * The list is kept in parts: otherwise, everything behind a place would have to be moved whenever an object is created or deleted.
 */
export class SortedBucket {
  private shared = false;

  constructor(
    private readonly objects = new Map<string, StoredObject>(),
    private readonly parts: StoredObject[][] = [],
  ) {}

  /** Whether a snapshot holds the bucket, too: then it is copied before it is changed. */
  get isShared(): boolean {
    return this.shared;
  }

  get size(): number {
    return this.objects.size;
  }

  get(name: string): StoredObject | undefined {
    return this.objects.get(name);
  }

  /** Iterates over the objects in no order. */
  values(): Iterable<StoredObject> {
    return this.objects.values();
  }

  set(name: string, object: StoredObject): void {
    const isNew = !this.objects.has(name);
    this.objects.set(name, object);
    const index = this.partOf(name);
    const part = this.parts[index];
    if (!part) {
      this.parts.push([object]);
      return;
    }
    part.splice(positionIn(part, name), isNew ? 0 : 1, object);
    if (part.length > PART) {
      // Most names come in their order: then parts remain full.
      const isLast = index === this.parts.length - 1 && part.at(-1) === object;
      this.parts.splice(index + 1, 0, part.splice(isLast ? PART : PART / 2));
    }
  }

  delete(name: string): void {
    if (!this.objects.delete(name)) return;
    const index = this.partOf(name);
    const part = this.parts[index]!;
    if (part.length === 1) this.parts.splice(index, 1);
    else part.splice(positionIn(part, name), 1);
  }

  /** Lets a snapshot keep the bucket as it is now. */
  share(): this {
    this.shared = true;
    return this;
  }

  /** Returns a copy that can be changed. */
  copy(): SortedBucket {
    const parts = this.parts.map((part) => part.slice());
    return new SortedBucket(new Map(this.objects), parts);
  }

  /**
   * Yields the objects as they are now.
   *
   * @param name where to begin, exclusively; empty for the beginning
   */
  *after(name: string): Generator<StoredObject> {
    const first = this.partOf(name);
    // The parts may change before the generator ends.
    const parts = this.parts.slice(first).map((part) => part.slice());
    for (const [index, part] of parts.entries()) {
      for (let at = index === 0 ? positionAfter(part, name) : 0; at < part.length; at += 1) yield part[at]!;
    }
  }

  /** Returns all objects as they are now. */
  list(): StoredObject[] {
    return this.parts.flat();
  }

  countAfter(name: string): number {
    const first = this.partOf(name);
    let count = 0;
    for (let index = first; index < this.parts.length; index += 1) count += this.parts[index]!.length;
    return first < this.parts.length ? count - positionAfter(this.parts[first]!, name) : 0;
  }

  /** Returns the index of the part that holds a name, or would hold it; of a part that does not exist only if there is none. */
  private partOf(name: string): number {
    let low = 0;
    let high = this.parts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.parts[middle]![0]!.name <= name) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function positionAfter(part: readonly StoredObject[], name: string): number {
  const position = positionIn(part, name);
  return part[position]?.name === name ? position + 1 : position;
}

function positionIn(part: readonly StoredObject[], name: string): number {
  let low = 0;
  let high = part.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (part[middle]!.name < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
