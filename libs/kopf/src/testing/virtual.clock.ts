import { setImmediate as macrotask, setTimeout as realTime } from 'node:timers/promises';
import type { Clock, ClockTimer } from '../interfaces/clock.interface.js';

/** For how long real input and output may be under way while nothing waits for virtual time, in milliseconds. */
const REAL_PATIENCE = 3000;

/** A pending call; `position` is its place in the heap, or -1 when it is out. */
interface VirtualTimer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
  position: number;
}

/**
 * Time that passes only when told to: an hour of retries takes no longer than the work in it.
 *
 * Timers fire in the order of their due times, those of one time in the order in which they were set.
 * Between two timers everything that waits for promises goes on until it waits for time again.
 *
 * @example
 * const clock = new VirtualClock();
 * const done = sleep(clock, 3600);
 * await clock.advance(3_600_000);
 * await done;
 */
export class VirtualClock implements Clock {
  private readonly heap: VirtualTimer[] = [];
  private time = 0;
  private order = 0;

  /** @param epoch the wall-clock time at the beginning, in milliseconds since the epoch. @default 2020-12-31T23:59:59Z */
  constructor(private readonly epoch: number = Date.UTC(2020, 11, 31, 23, 59, 59)) {}

  /** How many timers wait. */
  get pending(): number {
    return this.heap.length;
  }

  /** Milliseconds until the next timer fires; `undefined` if none waits. */
  get nextTimerIn(): number | undefined {
    return this.heap.length ? this.heap[0].due - this.time : undefined;
  }

  now(): number {
    return this.epoch + this.time;
  }

  monotonic(): number {
    return this.time;
  }

  setTimer(callback: () => void, milliseconds: number): ClockTimer {
    const due = this.time + Math.max(0, milliseconds || 0);
    const timer: VirtualTimer = { due, order: this.order++, callback, position: this.heap.length };
    this.heap.push(timer);
    this.rise(timer.position);
    return { cancel: () => this.remove(timer) };
  }

  /** Lets the given milliseconds pass, with all timers in them, and those that they set. */
  async advance(milliseconds: number): Promise<void> {
    const until = this.time + milliseconds;
    await this.settle();
    while (this.heap.length && this.heap[0].due <= until) await this.fireNext();
    this.time = until;
  }

  /**
   * Lets time pass until the promise is settled, and not longer.
   *
   * @param limit the longest time to let pass, in milliseconds. @default 24 hours
   * @returns what the promise resolves to; rejects as it does, or if the limit is reached or nothing is left to wait for.
   */
  async runUntil<T>(promise: Promise<T>, limit = 86_400_000): Promise<T> {
    const until = this.time + limit;
    let settled = false;
    const mark = (): void => {
      settled = true;
    };
    promise.then(mark, mark);
    for (let idle = 0; idle < REAL_PATIENCE && !settled;) {
      await this.settle();
      if (settled) break;
      if (!this.heap.length) idle += await passRealTime();
      else if (this.heap[0].due > until) throw new Error(`Not settled within ${limit} ms of virtual time.`);
      else await this.fireNext();
    }
    if (!settled) throw new Error('Not settled, and no timer is left to wait for.');
    return promise;
  }

  /**
   * Lets everything go on that does not wait for time.
   *
   * @param turns how many turns of the event loop it may take; promises alone need one. @default 2
   */
  async settle(turns = 2): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await macrotask();
  }

  private async fireNext(): Promise<void> {
    const timer = this.heap[0];
    this.remove(timer);
    this.time = Math.max(this.time, timer.due);
    timer.callback();
    await this.settle();
  }

  private remove(timer: VirtualTimer): void {
    const { position } = timer;
    if (position < 0) return;
    timer.position = -1;
    const last = this.heap.pop()!;
    if (last === timer) return;
    this.put(last, position);
    this.rise(position);
    this.sink(last.position);
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

  private put(timer: VirtualTimer, position: number): void {
    this.heap[position] = timer;
    timer.position = position;
  }
}

function isEarlier(one: VirtualTimer, other: VirtualTimer): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order);
}

/** Lets real time pass, so that a file can be read; returns how much. */
async function passRealTime(): Promise<number> {
  const milliseconds = 5;
  await realTime(milliseconds);
  return milliseconds;
}
