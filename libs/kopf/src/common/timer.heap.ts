import type { Clock, ClockTimer } from './clock.interface.js';
import { DueQueue, type DueItem } from './due.queue.js';

/** Something that waits in a {@link TimerHeap} for its time, in milliseconds of the monotonic clock. */
export interface HeapTimer extends DueItem {
  /** Called when the time has come; must not throw. */
  fire(): void;
}

/** Limits how many timers fire in one tick of the event loop, so that others can run, too. */
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

  /** Counts the timers that wait. */
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
