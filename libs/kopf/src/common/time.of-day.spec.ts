import { VirtualClock } from '../testing/time/virtual.clock.js';
import { steadyTime, timeOfDay } from './time.of-day.js';

describe('steadyTime()', () => {
  it('should be the time of day, and go on as time passes when the clock is set', async () => {
    const clock = new VirtualClock(1_000_000);
    await clock.advance(500);
    const time = steadyTime(clock);
    expect(time()).toBe(clock.now());
    clock.now = () => 0;
    await clock.advance(200);
    expect(time()).toBe(1_000_700);
  });
});

describe('timeOfDay()', () => {
  it('should keep the time since then right when the clock is set', async () => {
    const clock = new VirtualClock(1_000_000);
    await clock.advance(500);
    expect(timeOfDay(clock, 300)).toBe(1_000_300);
    clock.now = () => 5_000_000;
    expect(timeOfDay(clock, 300)).toBe(4_999_800);
  });
});
