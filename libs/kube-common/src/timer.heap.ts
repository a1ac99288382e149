import { detach } from './async.boundary.js';
import type { Clock, ClockTimer } from './clock.js';

/** Something that waits in a {@link TimerHeap} for its time, in milliseconds of the monotonic clock. */
export interface HeapTimer extends DueItem {
  /** Called when the time has come; must not throw. */
  fire(): void;
}

/** The most timers that fire in one tick of the event loop, so that others can run, too. */
const BATCH = 500;

/**
 * Very many timers on a single timer of the clock. Setting and cancelling one takes logarithmic time.
 * Timers of one time fire in the order in which they were set.
 */
export class TimerHeap implements Clock {
  private readonly queue = new DueQueue<HeapTimer>();
  private armed?: ClockTimer;
  private armedFor = Infinity;

  constructor(private readonly clock: Clock) {}

  /** The number of timers that wait. */
  get size(): number {
    return this.queue.size;
  }

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  setTimer(callback: () => void, milliseconds: number): ClockTimer {
    const timer: HeapTimer = { due: 0, order: 0, position: -1, fire: callback };
    this.schedule(timer, this.monotonic() + Math.max(0, milliseconds));
    return { cancel: () => this.remove(timer) };
  }

  /** Makes the timer fire at the given time of the monotonic clock, and not at any other that it was to fire at. */
  schedule(timer: HeapTimer, due: number): void {
    this.remove(timer);
    timer.due = due;
    this.queue.add(timer);
    this.arm();
  }

  remove(timer: HeapTimer): void {
    this.queue.remove(timer);
    if (this.queue.size === 0) this.disarm();
  }

  /** Forgets all timers. */
  clear(): void {
    this.queue.clear();
    this.disarm();
  }

  private arm(): void {
    // A timer that fires too early, because its reason was removed, finds out the next time on its own.
    const { first } = this.queue;
    if (!first || first.due >= this.armedFor) return;
    this.disarm();
    this.armedFor = first.due;
    this.armed = this.clock.setTimer(this.onTime, Math.max(0, this.armedFor - this.monotonic()));
  }

  private disarm(): void {
    this.armed?.cancel();
    this.armed = undefined;
    this.armedFor = Infinity;
  }

  /** Timers fire outside of the asynchronous context in which the clock's timer was set, as it is not the context that set them. */
  private readonly onTime = (): void => detach(() => this.fire());

  private fire(): void {
    this.disarm();
    const now = this.monotonic();
    try {
      for (let fired = 0; fired < BATCH; fired++) {
        const timer = this.queue.first;
        if (!timer || timer.due > now) break;
        this.remove(timer);
        timer.fire();
      }
    } finally {
      this.arm();
    }
  }
}

/** Something that is due at a time. The queue alone writes the members but for `due`. */
export interface DueItem {
  due: number;
  /** The order of items that are due at the same time. */
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
