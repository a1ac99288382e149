import type { StoredObject } from './stored.object.js';

/** The objects of one namespace, found by name and listed in the names' order. */
export class SortedBucket {
  private readonly objects = new Map<string, StoredObject>();
  private readonly names: string[] = [];

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

  *values(): Generator<StoredObject> {
    for (const name of this.names) yield this.objects.get(name)!;
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
