import { VirtualClock } from '../testing/virtual.clock.js';
import { EventLoopMonitor } from './event-loop.monitor.js';

/** Timers are late by as long as the event loop is blocked. */
class BlockableClock extends VirtualClock {
  private blocked = 0;

  override monotonic(): number {
    return super.monotonic() + this.blocked;
  }

  block(seconds: number): void {
    this.blocked += seconds * 1000;
  }
}

describe('EventLoopMonitor', () => {
  let clock: BlockableClock;
  let monitor: EventLoopMonitor;

  beforeEach(() => {
    clock = new BlockableClock();
    monitor = new EventLoopMonitor(clock, { lagMemory: 30 });
    monitor.onApplicationBootstrap();
  });

  it('should find nothing while nothing blocks', async () => {
    await clock.advance(60_000);
    expect(monitor.lag).toBe(0);
  });

  it('should notice a block, already before the late timer fires', () => {
    clock.block(3);
    expect(monitor.lag).toBeGreaterThanOrEqual(2.5);
  });

  it('should remember the worst block, and forget it in time', async () => {
    clock.block(3);
    await clock.advance(1000);
    clock.block(1);
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
    clock.block(100);
    expect(monitor.lag).toBe(0);
  });
});
