import type { Cron } from 'croner';
import { LazyLibrary } from './lazy.library.js';

/** The package that reads cron expressions. */
export const CRONER = new LazyLibrary('croner', () => import('croner'));

/**
 * The times of a cron expression in a time zone, by the wall clock.
 *
 * @example CronSchedule.parse('0 3 * * MON-FRI', 'Europe/Berlin').next(clock.now())
 */
export class CronSchedule {
  /** The time from which the cached answer is valid: all objects of a timer ask for the same one. */
  private from = 0;
  private to = 0;

  private constructor(private readonly cron: Cron) {}

  /**
   * Reads an expression of five fields, of six with seconds first, or a name such as `@daily`.
   *
   * @param timeZone a name of the IANA database.
   * @throws Error that names the violation in the expression or the time zone.
   */
  static parse(expression: string, timeZone = 'UTC'): CronSchedule {
    // The cron library accepts a date as a schedule with one time, which is no cron expression.
    if (expression.includes(':')) throw new Error(`'${expression}' is a date and no cron expression`);
    if (!isTimeZone(timeZone)) throw new Error(`there is no time zone '${timeZone}'`);
    const { Cron: Expression } = CRONER.get();
    return new CronSchedule(new Expression(expression, { paused: true, timezone: timeZone, mode: '5-or-6-parts' }));
  }

  /** Computes the first time after another one, both in milliseconds since the epoch; `undefined` if it never comes. */
  next(after: number): number | undefined {
    if (after >= this.from && after < this.to) return this.to;
    const time = this.cron.nextRun(new Date(after))?.getTime();
    if (time !== undefined) [this.from, this.to] = [after, time];
    return time;
  }
}

/** Checks whether the runtime knows the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
