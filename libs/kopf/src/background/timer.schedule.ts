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
 * The time of an invocation, in milliseconds of the clock that the schedule goes by: `'onChange'` if the object has to change first, `'never'`
 * if there is none.
 */
export type InvocationTime = number | 'onChange' | 'never';

/** The times at which a timer is invoked: a value, which knows nothing of the timer and its object. */
export interface TimerSchedule {
  /** Computes the time of the first invocation, after an initial delay in seconds. */
  first(delay: number, clock: Clock): InvocationTime;
  /** Computes the time of the invocation after one that has ended. */
  next(invocation: TimerInvocation, clock: Clock): InvocationTime;
  /** Converts the time of an invocation to that of the monotonic clock at which the timer is to wake up for it. */
  wakeUpAt(time: number, clock: Clock): number;
  /**
   * Checks an invocation whose timer has woken up.
   *
   * @returns the time of the monotonic clock at which the timer is to wake up again, if the invocation has to wait; otherwise `undefined`
   */
  postponedUntil(time: number, idleResetAt: number, clock: Clock): number | undefined;
}

/**
 * The schedule of an interval, an idle time, or neither of them: after an invocation, a timer without both is not invoked again.
 *
 * A sharp interval keeps to the grid of its beginning, and leaves out the slots that have passed during an invocation.
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

/** The longest wait in milliseconds before the wall clock is looked at again: it can be set, and stands still in a sleeping machine. */
const LONGEST_WAIT = 600_000;

/** The schedule of a cron expression, which goes by the wall clock. */
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

/** The schedule of a timer's handler. */
export function scheduleOf(handler: TimerHandler): TimerSchedule {
  return handler.schedule ? new WallClockSchedule(handler.schedule) : new IntervalSchedule(handler);
}
