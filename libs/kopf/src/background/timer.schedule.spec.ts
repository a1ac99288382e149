import type { TimerHandler } from '../registry/handler.js';
import { CronSchedule } from '../common/cron.schedule.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { scheduleOf } from './timer.schedule.js';

const timer = (options: Partial<TimerHandler>): TimerHandler =>
  ({ kind: 'timer', id: 't', title: 't', source: 't', invoke: () => undefined, ...options }) as TimerHandler;

describe('scheduleOf an interval or an idle time', () => {
  it.each<[string, Partial<TimerHandler>, number, number, number, number | string]>([
    ['counts from the end', { interval: 5 }, 1000, 3000, 0, 8000],
    ['counts from the beginning if it is sharp', { interval: 5, sharp: true }, 1000, 3000, 0, 6000],
    ['leaves out slots that have passed', { interval: 5, sharp: true }, 0, 7000, 0, 10_000],
    ['takes the next slot at the very end of one', { interval: 5, sharp: true }, 0, 5000, 0, 10_000],
    ['waits for a change if there is only an idle time', { idle: 5 }, 1000, 2000, 500, 'onChange'],
    ['counts from a change during the invocation', { idle: 5 }, 1000, 3000, 2000, 7000],
    ['has no other invocation without a schedule', {}, 0, 0, 0, 'never'],
  ])('should be right for a timer that %s', (_what, options, started, finished, idleResetAt, expected) => {
    const schedule = scheduleOf(timer(options));
    expect(schedule.next({ started, finished, idleResetAt }, new VirtualClock())).toBe(expected);
  });

  it('should begin after the initial delay, by the monotonic clock', async () => {
    const clock = new VirtualClock();
    await clock.advance(1000);
    const schedule = scheduleOf(timer({ interval: 5 }));
    expect(schedule.first(0, clock)).toBe(1000);
    expect(schedule.first(2, clock)).toBe(3000);
    expect(schedule.wakeUpAt(3000, clock)).toBe(3000);
  });

  it.each<[number | undefined, number, number | undefined]>([
    [undefined, 1000, undefined],
    [5, 1000, 6000],
    [1, 0, undefined],
    [0, 1000, undefined],
  ])('should wait with an idle time of %s s, and a change at %s ms, until %s', async (idle, idleResetAt, expected) => {
    const clock = new VirtualClock();
    await clock.advance(1000);
    expect(scheduleOf(timer({ interval: 5, idle })).postponedUntil(0, idleResetAt, clock)).toBe(expected);
  });
});

describe('scheduleOf a cron expression', () => {
  let clock: VirtualClock;
  const schedule = scheduleOf(timer({ schedule: CronSchedule.parse('0 * * * *') }));
  const NINE = Date.parse('2026-11-22T09:00:00Z');
  const MINUTE = 60_000;

  /** Sets the wall clock, as an administrator would. */
  function setWallClock(time: number): void {
    const offset = time - clock.monotonic();
    clock.now = () => clock.monotonic() + offset;
  }

  beforeEach(() => {
    clock = new VirtualClock();
    setWallClock(NINE - 5 * MINUTE);
  });

  it('should begin at the first time after the initial delay', () => {
    expect(schedule.first(0, clock)).toBe(NINE);
    expect(schedule.first(6 * 60, clock)).toBe(NINE + 60 * MINUTE);
  });

  it('should leave out the times that have passed during an invocation', () => {
    setWallClock(NINE + 130 * MINUTE);
    expect(schedule.next({ started: 0, finished: 0, idleResetAt: 0 }, clock)).toBe(NINE + 180 * MINUTE);
  });

  it('should never invoke a timer whose times have all passed', () => {
    const never = scheduleOf(timer({ schedule: CronSchedule.parse('0 0 30 2 *') }));
    expect(never.first(0, clock)).toBe('never');
    expect(never.next({ started: 0, finished: 0, idleResetAt: 0 }, clock)).toBe('never');
  });

  it('should wake up after ten minutes at the latest, as the wall clock can be set', () => {
    expect(schedule.wakeUpAt(NINE, clock)).toBe(clock.monotonic() + 5 * MINUTE);
    expect(schedule.wakeUpAt(NINE + 60 * MINUTE, clock)).toBe(clock.monotonic() + 10 * MINUTE);
  });

  it('should wait as long as the wall clock is before the time', () => {
    expect(schedule.postponedUntil(NINE, 0, clock)).toBe(clock.monotonic() + 5 * MINUTE);
    setWallClock(NINE);
    expect(schedule.postponedUntil(NINE, 0, clock)).toBeUndefined();
  });
});
