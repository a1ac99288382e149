import { Cron } from 'croner';

/** Units of the durations of `@every`, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The times of a cron job. */
export interface CronSchedule {
  /** Returns the first time after another one, in milliseconds since the epoch; undefined if there is none. */
  next(after: number): number | undefined;
}

/**
 * Reads a schedule: five fields, `@hourly` and the like, or `@every 1h30m`.
 *
 * @param timeZone a name such as `Europe/Berlin`. Defaults to UTC, as a control plane in a container has it.
 * @throws Error if the schedule or the time zone is invalid
 */
export function parseSchedule(schedule: string, timeZone = 'UTC'): CronSchedule {
  if (schedule.startsWith('@every ')) {
    const interval = Math.max(1000, parseDuration(schedule.slice('@every '.length)));
    return { next: (after) => Math.floor(after / 1000) * 1000 + interval };
  }
  const cron = new Cron(schedule, {
    paused: true,
    timezone: timeZone,
    ...(!schedule.startsWith('@') && { mode: '5-part' }),
  });
  return { next: (after) => cron.nextRun(new Date(after))?.getTime() };
}

function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (!parts.length || parts.map(([part]) => part).join('') !== text) {
    throw new Error(`failed to parse duration @every ${text}`);
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit], 0);
}
