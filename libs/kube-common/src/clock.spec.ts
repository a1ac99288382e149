import { SystemClock } from './clock.js';
import { SystemRandom } from './random.js';

describe("The machine's own time and randomness", () => {
  it('should be those of the machine', async () => {
    const clock = new SystemClock();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000);
    const begin = clock.monotonic();
    await new Promise<void>((resolve) => clock.setTimer(resolve, 5));
    expect(clock.monotonic() - begin).toBeGreaterThanOrEqual(4);
    const random = new SystemRandom().next();
    expect(random).toBeGreaterThanOrEqual(0);
    expect(random).toBeLessThan(1);
  });

  it('should not fire timers at once that are longer than Node can hold, nor cancelled ones', async () => {
    const clock = new SystemClock();
    let fired = 0;
    const long = clock.setTimer(() => fired++, 2 ** 40);
    const cancelled = clock.setTimer(() => fired++, 0);
    cancelled.cancel();
    await new Promise<void>((resolve) => clock.setTimer(resolve, 5));
    expect(fired).toBe(0);
    long.cancel();
  });
});
