import { setImmediate } from 'node:timers';
import { setTimeout as realTime } from 'node:timers/promises';
import { type Clock, type ClockTimer, type DueItem, DueQueue } from 'kube-common';

/** The milliseconds for which real input and output may be under way while nothing waits for virtual time. */
const REAL_WAITING_LIMIT = 3000;

/** A pending call. */
interface VirtualTimer extends DueItem {
  readonly callback: () => void;
}

/**
 * A clock whose time passes only when a test lets it: an hour of retries takes no longer than the work in it.
 *
 * Timers fire in the order of their due times, those of one time in the order in which they were set.
 * Between two timers, everything that waits for promises continues until it waits for time again.
 *
 * @example
 * const clock = new VirtualClock();
 * const done = sleep(clock, 3600);
 * await clock.advance(3_600_000);
 * await done;
 */
export class VirtualClock implements Clock {
  private readonly queue = new DueQueue<VirtualTimer>();
  private time = 0;

  /** @param epoch the wall-clock time at the beginning, in milliseconds since the epoch. @default 2020-12-31T23:59:59Z */
  constructor(private readonly epoch: number = Date.UTC(2020, 11, 31, 23, 59, 59)) {}

  /** The number of timers that wait. */
  get pending(): number {
    return this.queue.size;
  }

  /** Milliseconds until the next timer fires; `undefined` if none waits. */
  get nextTimerIn(): number | undefined {
    const { first } = this.queue;
    return first && first.due - this.time;
  }

  now(): number {
    return this.epoch + this.time;
  }

  monotonic(): number {
    return this.time;
  }

  setTimer(callback: () => void, milliseconds: number): ClockTimer {
    const due = this.time + Math.max(0, milliseconds || 0);
    const timer: VirtualTimer = { due, order: 0, position: -1, callback };
    this.queue.add(timer);
    return { cancel: () => this.queue.remove(timer) };
  }

  /** Lets the given milliseconds pass, with all timers in them, and those that they set. */
  async advance(milliseconds: number): Promise<void> {
    const until = this.time + milliseconds;
    await this.settle();
    while (this.fireNext(until)) await this.settle();
    this.time = Math.max(until, this.time);
  }

  /**
   * Lets time pass at once, as code does that blocks the event loop, or as it does while a process is stopped:
   * the timers that become due in this time fire late.
   *
   * @example
   * class Operator {
   *   @OnCreate('kopfexamples')
   *   create() {
   *     clock.block(30_000);
   *   }
   * }
   */
  block(milliseconds: number): void {
    this.time += milliseconds;
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
    for (let idle = 0; idle < REAL_WAITING_LIMIT && !settled;) {
      await this.settle();
      if (settled) break;
      if (this.fireNext(until)) continue;
      if (this.queue.first) throw new Error(`Not settled within ${limit} ms of virtual time.`);
      idle += await passRealTime();
    }
    if (!settled) throw new Error('Not settled, and no timer is left to wait for.');
    return promise;
  }

  /**
   * Lets time pass until the next timer is due, and calls its function. Nothing that waits for it continues before the caller calls {@link
   * settle}.
   *
   * @param until the time that must not be passed, in milliseconds; timers that are late fire anyway.
   * @returns false if there is no such timer.
   */
  fireNext(until: number): boolean {
    const { first: timer } = this.queue;
    if (!timer || timer.due > Math.max(until, this.time)) return false;
    this.queue.remove(timer);
    this.time = Math.max(this.time, timer.due);
    timer.callback();
    return true;
  }

  /**
   * Lets everything continue that does not wait for time.
   *
   * @param turns how many turns of the event loop it may take; promises alone need one. @default 2
   */
  settle(turns = 2): Promise<void> {
    return new Promise((resolve) => {
      const next = (left: number): void => {
        if (left > 0) setImmediate(next, left - 1);
        else resolve();
      };
      next(turns);
    });
  }
}

/** Lets real time pass, so that a file can be read; returns how much. */
async function passRealTime(): Promise<number> {
  const milliseconds = 5;
  await realTime(milliseconds);
  return milliseconds;
}
