import type { Clock } from 'kube-common';
import type { CronSchedule } from '../common/cron.schedule.js';
import type { TimerHandler } from '../registry/handler.js';

/** One invocation of a timer that has ended; times are in milliseconds of the monotonic clock. */
export interface TimerInvocation {
  /** The time at which the invocation was due. */
  readonly started: number;
  readonly finished: number;
  /** The time at which the object's essence was changed last. */
  readonly idleResetAt: number;
}

/**
 * The time of an invocation, in milliseconds of the schedule's clock; `'onChange'` if the timer waits for a change of the object; `'never'`
 * if there is no further invocation.
 */
export type InvocationTime = number | 'onChange' | 'never';

/** The times at which a timer is invoked. A schedule is a value without a reference to the timer or its object. */
export interface TimerSchedule {
  /** Computes the time of the first invocation, after an initial delay in seconds. */
  first(delay: number, clock: Clock): InvocationTime;
  /** Computes the time of the invocation that follows one that has ended. */
  next(invocation: TimerInvocation, clock: Clock): InvocationTime;
  /** Converts the time of an invocation to the time of the monotonic clock at which the timer wakes up for it. */
  wakeUpAt(time: number, clock: Clock): number;
  /**
   * Checks whether an invocation has to wait although the timer has woken up for it.
   *
   * @returns the time of the monotonic clock at which the timer wakes up again; `undefined` if the invocation can begin
   */
  postponedUntil(time: number, idleResetAt: number, clock: Clock): number | undefined;
}

/**
 * The schedule of a timer with an interval, an idle time, or both. A timer with neither is invoked once.
 *
 * A sharp interval keeps to the grid of its first invocation, and skips the slots that have passed during an invocation.
 */
export class IntervalSchedule implements TimerSchedule {
  constructor(private readonly options: Pick<TimerHandler, 'interval' | 'sharp' | 'idle'>) {}

  first(delay: number, clock: Clock): number {
    return clock.monotonic() + delay * 1000;
  }

  next({ started, finished, idleResetAt }: TimerInvocation): InvocationTime {
    const { interval, sharp, idle } = this.options;
    if (interval !== undefined) {
      const milliseconds = interval * 1000;
      if (!sharp) return finished + milliseconds;
      return started + (Math.floor((finished - started) / milliseconds) + 1) * milliseconds;
    }
    if (idle === undefined) return 'never';
    return idleResetAt > started ? idleResetAt + idle * 1000 : 'onChange';
  }

  wakeUpAt(time: number): number {
    return time;
  }

  postponedUntil(_time: number, idleResetAt: number, clock: Clock): number | undefined {
    const { idle } = this.options;
    const idleUntil = idle === undefined ? 0 : idleResetAt + idle * 1000;
    return idleUntil > clock.monotonic() ? idleUntil : undefined;
  }
}

/**
 * The longest wait before the wall clock is read again, in milliseconds: the clock can be set, and the wait does not count the time of a
 * suspended machine.
 */
const LONGEST_WAIT = 600_000;

/** The schedule of a cron expression, by the wall clock. */
export class WallClockSchedule implements TimerSchedule {
  constructor(private readonly cron: CronSchedule) {}

  first(delay: number, clock: Clock): InvocationTime {
    return this.cron.next(clock.now() + delay * 1000) ?? 'never';
  }

  next(_invocation: TimerInvocation, clock: Clock): InvocationTime {
    return this.cron.next(clock.now()) ?? 'never';
  }

  wakeUpAt(time: number, clock: Clock): number {
    return clock.monotonic() + Math.min(time - clock.now(), LONGEST_WAIT);
  }

  postponedUntil(time: number, _idleResetAt: number, clock: Clock): number | undefined {
    return clock.now() < time ? this.wakeUpAt(time, clock) : undefined;
  }
}

/** Returns the schedule of a timer's handler. */
export function scheduleOf(handler: TimerHandler): TimerSchedule {
  return handler.schedule ? new WallClockSchedule(handler.schedule) : new IntervalSchedule(handler);
}
