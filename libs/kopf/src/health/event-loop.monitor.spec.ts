import { VirtualClock } from '../testing/time/virtual.clock.js';
import { EventLoopMonitor } from './event-loop.monitor.js';

describe('EventLoopMonitor', () => {
  let clock: VirtualClock;
  let monitor: EventLoopMonitor;

  beforeEach(() => {
    clock = new VirtualClock();
    monitor = new EventLoopMonitor(clock, { eventLoopLagWindow: 30 });
    monitor.onApplicationBootstrap();
  });

  it('should find nothing while nothing blocks', async () => {
    await clock.advance(60_000);
    expect(monitor.lag).toBe(0);
  });

  it('should notice a block, already before the late timer fires', () => {
    clock.block(3000);
    expect(monitor.lag).toBeGreaterThanOrEqual(2.5);
  });

  it('should remember the worst block, and forget it in time', async () => {
    clock.block(3000);
    await clock.advance(1000);
    clock.block(1000);
    await clock.advance(20_000);
    expect(monitor.lag).toBeGreaterThanOrEqual(2.5);
    await clock.advance(15_000);
    expect(monitor.lag).toBe(0);
  });

  it('should set a single timer, and cancel it in the end', async () => {
    await clock.advance(5000);
    expect(clock.pending).toBe(1);
    monitor.onApplicationShutdown();
    expect(clock.pending).toBe(0);
    clock.block(100_000);
    expect(monitor.lag).toBe(0);
  });
});
