/** Something that is due at a time. The queue alone writes the members but for `due`. */
export interface DueItem {
  due: number;
  /** Decides between items that are due at the same time. */
  order: number;
  /** The place in the queue, or -1 outside of it. */
  position: number;
}

/** Items by their due times, those of one time in the order of their coming; a heap that can remove any of its items. */
export class DueQueue<Item extends DueItem> {
  private readonly heap: Item[] = [];
  private order = 0;

  get size(): number {
    return this.heap.length;
  }

  /** The item that is due first. */
  get first(): Item | undefined {
    return this.heap[0];
  }

  add(item: Item): void {
    item.order = this.order++;
    item.position = this.heap.length;
    this.heap.push(item);
    this.rise(item.position);
  }

  /** Removes the item, if it is in the queue. */
  remove(item: Item): void {
    const { position } = item;
    if (position < 0) return;
    item.position = -1;
    const last = this.heap.pop()!;
    if (last === item) return;
    this.put(last, position);
    this.rise(position);
    this.sink(last.position);
  }

  clear(): void {
    for (const item of this.heap) item.position = -1;
    this.heap.length = 0;
  }

  private rise(position: number): void {
    const item = this.heap[position];
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (!isEarlier(item, this.heap[parent])) break;
      this.put(this.heap[parent], position);
      position = parent;
    }
    this.put(item, position);
  }

  private sink(position: number): void {
    const item = this.heap[position];
    for (let child = 2 * position + 1; child < this.heap.length; child = 2 * position + 1) {
      if (child + 1 < this.heap.length && isEarlier(this.heap[child + 1], this.heap[child])) child++;
      if (!isEarlier(this.heap[child], item)) break;
      this.put(this.heap[child], position);
      position = child;
    }
    this.put(item, position);
  }

  private put(item: Item, position: number): void {
    this.heap[position] = item;
    item.position = position;
  }
}

function isEarlier(one: DueItem, other: DueItem): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order);
}
