import type { Clock, ClockTimer } from '../interfaces/clock.interface.js';

/** Something that waits in a {@link TimerHeap} for its time. The heap alone writes the members. */
export interface HeapTimer {
  /** In milliseconds of the monotonic clock. */
  due: number;
  order: number;
  /** The place in the heap, or -1 outside of it. */
  position: number;
  /** Called when the time has come; must not throw. */
  fire(): void;
}

/** How many timers fire in one turn of the event loop, so that others get their turns, too. */
const BATCH = 500;

/**
 * Very many timers on a single timer of the clock. Setting and cancelling one takes logarithmic time.
 * Timers of one time fire in the order in which they were set.
 */
export class TimerHeap implements Clock {
  private readonly heap: HeapTimer[] = [];
  private order = 0;
  private armed?: ClockTimer;
  private armedFor = Infinity;

  constructor(private readonly clock: Clock) {}

  /** How many timers wait. */
  get size(): number {
    return this.heap.length;
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
    timer.order = this.order++;
    timer.position = this.heap.length;
    this.heap.push(timer);
    this.rise(timer.position);
    this.arm();
  }

  remove(timer: HeapTimer): void {
    const { position } = timer;
    if (position < 0) return;
    timer.position = -1;
    const last = this.heap.pop()!;
    if (last !== timer) {
      this.put(last, position);
      this.rise(position);
      this.sink(last.position);
    }
    if (this.heap.length === 0) this.disarm();
  }

  /** Forgets all timers. */
  clear(): void {
    for (const timer of this.heap) timer.position = -1;
    this.heap.length = 0;
    this.disarm();
  }

  private arm(): void {
    // A timer that fires too early, because its reason was removed, finds out the next time on its own.
    if (this.heap.length === 0 || this.heap[0].due >= this.armedFor) return;
    this.disarm();
    this.armedFor = this.heap[0].due;
    this.armed = this.clock.setTimer(() => this.fire(), Math.max(0, this.armedFor - this.monotonic()));
  }

  private disarm(): void {
    this.armed?.cancel();
    this.armed = undefined;
    this.armedFor = Infinity;
  }

  private fire(): void {
    this.disarm();
    const now = this.monotonic();
    try {
      for (let fired = 0; fired < BATCH && this.heap.length > 0 && this.heap[0].due <= now; fired++) {
        const timer = this.heap[0];
        this.remove(timer);
        timer.fire();
      }
    } finally {
      this.arm();
    }
  }

  private rise(position: number): void {
    const timer = this.heap[position];
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (!isEarlier(timer, this.heap[parent])) break;
      this.put(this.heap[parent], position);
      position = parent;
    }
    this.put(timer, position);
  }

  private sink(position: number): void {
    const timer = this.heap[position];
    for (let child = 2 * position + 1; child < this.heap.length; child = 2 * position + 1) {
      if (child + 1 < this.heap.length && isEarlier(this.heap[child + 1], this.heap[child])) child++;
      if (!isEarlier(this.heap[child], timer)) break;
      this.put(this.heap[child], position);
      position = child;
    }
    this.put(timer, position);
  }

  private put(timer: HeapTimer, position: number): void {
    this.heap[position] = timer;
    timer.position = position;
  }
}

function isEarlier(one: HeapTimer, other: HeapTimer): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order);
}
