import type { StoredObject } from './stored.object.js';

/** The objects of one namespace, found by name and listed in the names' order. */
export class SortedBucket {
  private shared = false;
  /** All objects in order; kept once nothing changes any more, for all who list what they share. */
  private ordered: readonly StoredObject[] | undefined;

  constructor(
    private readonly objects = new Map<string, StoredObject>(),
    private readonly names: string[] = [],
  ) {}

  /** Tells whether a snapshot holds it, too: then it is copied before it is changed. */
  get isShared(): boolean {
    return this.shared;
  }

  get size(): number {
    return this.names.length;
  }

  get(name: string): StoredObject | undefined {
    return this.objects.get(name);
  }

  set(name: string, object: StoredObject): void {
    if (!this.objects.has(name)) this.names.splice(this.position(name), 0, name);
    this.objects.set(name, object);
  }

  delete(name: string): void {
    if (this.objects.delete(name)) this.names.splice(this.position(name), 1);
  }

  /** Lets a snapshot hold it as it is now. */
  share(): this {
    this.shared = true;
    return this;
  }

  /** A copy that can be changed. */
  copy(): SortedBucket {
    return new SortedBucket(new Map(this.objects), this.names.slice());
  }

  /** All objects in the names' order. */
  all(): readonly StoredObject[] {
    if (this.ordered) return this.ordered;
    const all = this.names.map((name) => this.objects.get(name)!);
    if (this.shared) this.ordered = all;
    return all;
  }

  /** @param name where to begin, exclusively; empty for the beginning */
  *after(name: string): Generator<StoredObject> {
    // The names are copied, as the list may change before the generator ends.
    for (const each of this.names.slice(this.positionAfter(name))) {
      const object = this.objects.get(each);
      if (object) yield object;
    }
  }

  countAfter(name: string): number {
    return this.names.length - this.positionAfter(name);
  }

  private positionAfter(name: string): number {
    const position = this.position(name);
    return this.names[position] === name ? position + 1 : position;
  }

  private position(name: string): number {
    let low = 0;
    let high = this.names.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.names[middle]! < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
