import { setImmediate } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, type ClockTimer, SystemClock } from 'kube-common';
import type { ActivityTracker, VirtualClock } from 'nestjs-kopf/testing';
import type { PreparedWorld } from './prepared.world.js';
import type { ProcessorBudget } from '../run/processor.budget.js';
import type { RestDelay } from '../run/rest.delay.js';

/** Seconds within which an operator must come to rest, unless the options set another limit. */
const PATIENCE = 7200;
/**
 * The most seconds that an operator gets once a part of its patches is rejected until the end of the run: it retries with longer and longer pauses.
 */
const REJECTED_PATIENCE = 600;
/** The longest timer of the server, in seconds, that counts as pending work. Longer timers are routine. */
const SERVER_WORK_LIMIT = 5000;
/** The longest real time to wait for something outside of virtual time, in milliseconds. */
const REAL_PATIENCE = 10_000;

/** The reason why time does not advance: nothing is left to do, the time is over, or the reason for waiting is unknown. */
export type RestOutcome = 'rest' | 'busy' | 'stuck';

/** The signs that an operator will not come to rest. */
export interface UnrestObserver {
  /** Whether an operator that is busy only fails in the same ways. @param since the time from which on calls count, in milliseconds */
  onlyFails(now: number, since: number): boolean;
  /** Whether the operator writes the same states of objects again and again. */
  readonly isRepeating: boolean;
}

/** The activity of a run that time waits for. */
export interface TimeObserver {
  /** Whether anything is under way or due. */
  isBusy(): boolean;
  /** Seconds without a change after which everything that works in intervals is at rest. */
  quiet(): number;
  /** The time of the last change, in milliseconds. */
  readonly lastChange: number;
  /** The time before which the operator is not at rest, as failed requests may still be repeated, in milliseconds. */
  readonly recoveredAt: number;
  /** The time since when a part of patches is rejected until the end of the run, in milliseconds; absent if none is. */
  readonly rejectedSince?: number;
  /** The seconds by which clocks were set back: what waits for a time of day comes that much later. */
  readonly restDelay: Pick<RestDelay, 'setBack'>;
  /** The processor time of the run, after which nothing is waited for. */
  readonly budget: Pick<ProcessorBudget, 'isExceeded' | 'message'>;
}

/** The end of a run that takes too much processor time. */
export class BudgetExceededError extends Error {}

/** Advances the virtual time of a run: as far as needed, and not further. */
export class WorldTime {
  readonly clock: VirtualClock;
  readonly serverClock: WorkClock;
  /** The time and the activity when everything was last at rest. */
  private rested?: { readonly now: number; readonly total: number };

  constructor(
    private readonly world: Pick<PreparedWorld, 'createClock' | 'outside'>,
    seed: number,
    private readonly activity: ActivityTracker,
    private readonly observer: TimeObserver,
  ) {
    this.clock = world.createClock(seed);
    this.serverClock = new WorkClock(this.clock);
  }

  /** Lets everything continue that does not wait for time. */
  async settle(): Promise<void> {
    const { clock, activity } = this;
    for (let seen = -1; seen !== activity.total;) {
      do await clock.settle();
      while (clock.fireNext(clock.monotonic()));
      seen = activity.total;
      // The libraries of a handler may wait for turns of the event loop.
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
      if (this.observer.budget.isExceeded) throw new BudgetExceededError(this.observer.budget.message);
      if (!this.clock.fireNext(Infinity)) await pause(1);
    }
  }

  /**
   * Lets time pass until nothing is left to do.
   *
   * @param patience seconds, to which the quiet time at the end is added.
   * @default two hours
   * @param unrest ends the waiting when it is in vain
   * @throws BudgetExceededError if the run takes too much processor time.
   */
  async rest(patience = PATIENCE, unrest?: UnrestObserver): Promise<RestOutcome> {
    const { clock, observer } = this;
    const begun = clock.monotonic();
    for (let real = 0; ;) {
      await this.settle();
      if (observer.budget.isExceeded) throw new BudgetExceededError(observer.budget.message);
      const now = clock.monotonic();
      const isBusy = observer.isBusy() || this.serverClock.isWorking;
      // Nothing has happened since everything was at rest, so no further quiet time is needed.
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
        // The run waits for something outside of virtual time, such as a file.
        if ((real += 1) > REAL_PATIENCE) return 'stuck';
        await pause(1);
      } else if (!isBusy && next > calm) await clock.advance(calm);
      else if (isBusy && (now + next > deadline || unrest?.onlyFails(now, begun))) return 'busy';
      else if (unrest?.isRepeating) return 'busy';
      // `now + next` can be a bit less than the time of the timer, as such sums are rounded.
      else clock.fireNext(Infinity);
    }
  }
}

/** The clock of a server. It knows whether the server has pending work. */
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
