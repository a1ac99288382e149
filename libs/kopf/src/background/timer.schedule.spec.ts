import type { TimerHandler } from '../registry/handler.js';
import { nextInvocation } from './timer.schedule.js';

describe('nextInvocation', () => {
  const timer = (options: Partial<TimerHandler>): TimerHandler =>
    ({ kind: 'timer', id: 't', title: 't', source: 't', invoke: () => undefined, ...options }) as TimerHandler;

  it.each<[string, Partial<TimerHandler>, number, number, number, number | string]>([
    ['counts from the end', { interval: 5 }, 1000, 3000, 0, 8000],
    ['counts from the beginning if it is sharp', { interval: 5, sharp: true }, 1000, 3000, 0, 6000],
    ['leaves out slots that have passed', { interval: 5, sharp: true }, 0, 7000, 0, 10_000],
    ['takes the next slot at the very end of one', { interval: 5, sharp: true }, 0, 5000, 0, 10_000],
    ['waits for a change if there is only an idle time', { idle: 5 }, 1000, 2000, 500, 'onChange'],
    ['counts from a change during the invocation', { idle: 5 }, 1000, 3000, 2000, 7000],
    ['has no other invocation without a schedule', {}, 0, 0, 0, 'never'],
  ])('should be right for a timer that %s', (_what, options, started, finished, idleResetAt, expected) => {
    expect(nextInvocation(timer(options), { started, finished, idleResetAt })).toBe(expected);
  });
});
