import { VirtualClock } from '../testing/time/virtual.clock.js';
import { EventLoopDelay } from './event-loop.delay.js';

describe('EventLoopDelay', () => {
  it('should tell of the longest block within the last minute', async () => {
    const clock = new VirtualClock();
    const delay = new EventLoopDelay(clock);
    delay.start();
    await clock.advance(10_000);
    expect(delay.longest).toBe(0);
    clock.block(3000);
    clock.block(500);
    expect(delay.longest).toBeGreaterThan(2.5);
    await clock.advance(29_000);
    expect(delay.longest).toBeGreaterThan(2.5);
    await clock.advance(61_000);
    expect(delay.longest).toBe(0);
    delay.stop();
    expect(clock.nextTimerIn).toBeUndefined();
  });
});
