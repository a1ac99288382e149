import { setImmediate } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, type ClockTimer, SystemClock } from 'kube-common';
import type { VirtualClock } from '../../testing/virtual.clock.js';
import type { Activity } from '../../testing/activity.js';
import type { FailureStreak } from '../oracles/failure.streak.js';
import type { PreparedWorld } from './prepared.world.js';
import type { RestDelay } from './rest.delay.js';

/** Seconds for which an operator is to come to rest, unless the options say otherwise. */
const PATIENCE = 7200;
/**
 * Seconds for which an operator is given time, at most, once a part of its patches is rejected for ever: it goes on trying to store it, with longer
 * and longer pauses.
 */
const REJECTED_PATIENCE = 600;
/** Timers of the server for at most so long are work that it has to do; longer ones are its routine. */
const SERVER_WORK_LIMIT = 5000;
/** The longest real time for which something outside of virtual time is waited for, in milliseconds. */
const REAL_PATIENCE = 10_000;

/** The reason why time does not go on: nothing is left to do, the time is over, or nobody knows what is waited for. */
export type RestOutcome = 'rest' | 'busy' | 'stuck';

/** Tells what the time has to wait for. */
export interface TimeObserver {
  /** Is true while anything is under way or due. */
  isBusy(): boolean;
  /** Seconds without a change after which all is at rest that works in intervals. */
  quiet(): number;
  /** The time of the last change, in milliseconds. */
  readonly lastChange: number;
  /** The time before which it is not at rest, as failures may still be made good, in milliseconds. */
  readonly recoveredAt: number;
  /** The time since when a part of patches is rejected that is rejected for ever, in milliseconds; absent if none is. */
  readonly rejectedSince?: number;
  /** Knows by how many seconds clocks were set back: what waits for a time of day comes so much later. */
  readonly restDelay: Pick<RestDelay, 'setBack'>;
}

/** Lets virtual time pass in a run: as much as it takes, and not more. */
export class WorldTime {
  readonly clock: VirtualClock;
  readonly serverClock: WorkClock;
  /** The time and the activity at which all was at rest. */
  private rested?: { readonly now: number; readonly total: number };

  constructor(
    private readonly world: Pick<PreparedWorld, 'createClock' | 'outside'>,
    seed: number,
    private readonly activity: Activity,
    private readonly observer: TimeObserver,
  ) {
    this.clock = world.createClock(seed);
    this.serverClock = new WorkClock(this.clock);
  }

  /** Lets everything go on that does not wait for time. */
  async settle(): Promise<void> {
    const { clock, activity } = this;
    for (let seen = -1; seen !== activity.total;) {
      do await clock.settle();
      while (clock.fireNext(clock.monotonic()));
      seen = activity.total;
      // Whatever a handler has brought along may wait for turns of the event loop.
      await new Promise((resolve) => setImmediate(setImmediate, resolve));
    }
  }

  /** Lets time pass until the promise is settled. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const mark = (): void => void (isSettled = true);
    promise.then(mark, mark);
    const real = new SystemClock();
    const deadline = real.monotonic() + REAL_PATIENCE;
    for (;;) {
      await this.settle();
      if (isSettled) return promise;
      if (real.monotonic() > deadline) throw new Error('An operation of the workload has no end.');
      if (!this.clock.fireNext(Infinity)) await pause(1);
    }
  }

  /**
   * Lets time pass until nothing is left to do.
   *
   * @param patience seconds, to which the quiet time at the end is added. @default two hours
   * @param failures end it when they are endless
   */
  async rest(patience = PATIENCE, failures?: FailureStreak): Promise<RestOutcome> {
    const { clock, observer } = this;
    const begun = clock.monotonic();
    for (let real = 0; ;) {
      await this.settle();
      const now = clock.monotonic();
      const isBusy = observer.isBusy() || this.serverClock.isWorking;
      // Nothing has happened since it was at rest: whoever asks again need not wait for another quiet time.
      if (!isBusy && this.rested?.now === now && this.rested.total === this.activity.total) return 'rest';
      const quiet = observer.quiet();
      const calm = Math.max(Math.max(observer.lastChange, begun) + quiet * 1000, observer.recoveredAt) - now;
      const { rejectedSince } = observer;
      const limited = rejectedSince === undefined ? patience : Math.min(patience, REJECTED_PATIENCE);
      const deadline = Math.max(begun, rejectedSince ?? 0) + (limited + quiet + observer.restDelay.setBack) * 1000;
      const next = clock.nextTimerIn;
      if (!isBusy && (calm <= 0 || next === undefined)) {
        if (await this.world.outside?.stirs()) continue;
        this.rested = { now, total: this.activity.total };
        return 'rest';
      }
      if (next === undefined) {
        // It waits for something outside of virtual time, such as a file.
        if ((real += 1) > REAL_PATIENCE) return 'stuck';
        await pause(1);
      } else if (!isBusy && next > calm) await clock.advance(calm);
      else if (isBusy && (now + next > deadline || failures?.isEndless(now, begun))) return 'busy';
      // Not until `now + next`, which can be a bit less than the time of the timer, as such sums are rounded.
      else clock.fireNext(Infinity);
    }
  }
}

/** The clock of a server, which knows whether the server waits for something that it is about to do. */
class WorkClock implements Clock {
  private short = 0;

  constructor(private readonly clock: Clock) {}

  get isWorking(): boolean {
    return this.short > 0;
  }

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  setTimer(callback: () => void, milliseconds: number): ClockTimer {
    if (milliseconds > SERVER_WORK_LIMIT) return this.clock.setTimer(callback, milliseconds);
    this.short += 1;
    let isOver = false;
    const end = (): void => {
      if (!isOver) this.short -= 1;
      isOver = true;
    };
    const timer = this.clock.setTimer(() => {
      end();
      callback();
    }, milliseconds);
    return {
      cancel: () => {
        end();
        timer.cancel();
      },
    };
  }
}
