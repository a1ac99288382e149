import { VirtualClock } from '../testing/time/virtual.clock.js';
import { Pressure } from './pressure.js';

describe('Pressure', () => {
  it('should interrupt the sleep, and the next ones until it is cleared', async () => {
    const clock = new VirtualClock();
    const pressure = new Pressure();
    const sleeping = pressure.sleep(clock, 10);
    pressure.raise();
    await expect(sleeping).resolves.toBe(false);
    await expect(pressure.sleep(clock, 10)).resolves.toBe(false);
    await expect(pressure.sleep(clock, 0)).resolves.toBe(true);
    pressure.clear();
    const whole = pressure.sleep(clock, 10);
    await clock.advance(10_000);
    await expect(whole).resolves.toBe(true);
    pressure.raise();
    expect(clock.pending).toBe(0);
  });
});
