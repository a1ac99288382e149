import { ActivityTracker, VirtualClock } from 'nestjs-kopf/testing';
import { WorldTime } from './world.time.js';

describe('WorldTime', () => {
  it('should let time pass to each timer, also where the time until then is rounded', async () => {
    const [now, due] = [169.7837439905332, 935.9333717056483];
    expect(now + (due - now)).toBeLessThan(due);
    let isBusy = true;
    const observer = {
      isBusy: () => isBusy,
      quiet: () => 0,
      lastChange: 0,
      recoveredAt: -Infinity,
      restDelay: { setBack: 0 },
      budget: { isExceeded: false, message: '' },
    };
    const time = new WorldTime({ createClock: () => new VirtualClock() }, 1, new ActivityTracker(), observer);
    time.clock.setTimer(() => (isBusy = false), due);
    await time.clock.advance(now);
    expect(await time.rest()).toBe('rest');
    expect(time.clock.monotonic()).toBe(due);
  });
});
