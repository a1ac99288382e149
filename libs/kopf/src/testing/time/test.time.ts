import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, SystemClock } from 'kube-common';
import type { ActivityTracker } from '../records/activity.tracker.js';
import { VirtualClock } from './virtual.clock.js';

/** The longest real time that a wait may take if time is virtual, in milliseconds. */
export const REAL_PATIENCE = 30_000;

/** The time of a test: virtual time passes at once, and real time by waiting. */
export interface TestTime {
  /** The clock that the operator and the API server share. */
  readonly clock: Clock;
  readonly isVirtual: boolean;
  /** Seconds for which something is waited for at most, unless the test says otherwise. */
  readonly patience: number;
  advance(seconds: number): Promise<void>;
  /** Lets everything continue that does not wait for time. */
  yield(): Promise<void>;
  /** Waits until nothing happens any more without time passing. */
  settle(activity: ActivityTracker): Promise<void>;
  /**
   * Lets time pass until the earliest moment at which something can have happened.
   *
   * @param until the time of the clock, in milliseconds, that must not be passed.
   * @returns false if the time is over.
   */
  step(until: number): Promise<boolean>;
}

/** Time that passes only while a test waits. */
export class VirtualTime implements TestTime {
  readonly isVirtual = true;
  readonly patience = 86_400;

  constructor(readonly clock: VirtualClock) {}

  async advance(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1000);
  }

  yield(): Promise<void> {
    return this.clock.settle();
  }

  async settle(activity: ActivityTracker): Promise<void> {
    const deadline = performance.now() + REAL_PATIENCE;
    for (let quiet = 0, seen = -1; quiet < 4 && performance.now() < deadline; seen = activity.total) {
      await this.clock.advance(0);
      quiet = activity.total === seen ? quiet + 1 : 0;
      // It may wait for something that is not on virtual time, such as a file.
      if (quiet > 0 && activity.isUnderWay) await pause(3);
    }
  }

  async step(until: number): Promise<boolean> {
    const { nextTimerIn } = this.clock;
    if (nextTimerIn === undefined) await pause(3);
    else if (this.clock.monotonic() + nextTimerIn > until) return false;
    else await this.clock.advance(nextTimerIn);
    return true;
  }
}

/** The machine's time. */
export class RealTime implements TestTime {
  readonly clock: Clock = new SystemClock();
  readonly isVirtual = false;
  readonly patience = 30;

  async advance(seconds: number): Promise<void> {
    await pause(seconds * 1000);
  }

  yield(): Promise<void> {
    return Promise.resolve();
  }

  async settle(activity: ActivityTracker): Promise<void> {
    const until = this.clock.monotonic() + this.patience * 1000;
    // What was written comes back over a watch; until then, nothing may happen for some steps.
    for (let quiet = 0, seen = -1; quiet < 10 && this.clock.monotonic() < until; seen = activity.total) {
      await pause(30);
      quiet = activity.total === seen ? quiet + 1 : 0;
    }
  }

  async step(until: number): Promise<boolean> {
    if (this.clock.monotonic() > until) return false;
    await pause(20);
    return true;
  }
}
