import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { sleep } from 'kube-common';
import { Throttler } from './throttler.js';

function prepare(delays: number[]) {
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const throttler = new Throttler(clock, () => delays);
  const sleeper = { sleep: (seconds: number) => (seconds <= 0 ? Promise.resolve(true) : sleep(clock, seconds)) };
  const times: number[] = [];
  const failing = (failures: number) => async () => {
    times.push(clock.monotonic() / 1000);
    if (times.length <= failures) throw new Error('boom');
    return 'done';
  };
  return { clock, logger, throttler, sleeper, times, failing };
}

describe('Throttler', () => {
  it('should not delay what succeeds', async () => {
    const { clock, logger, throttler, sleeper, failing } = prepare([1, 2]);
    await expect(throttler.run(failing(0), logger, sleeper)).resolves.toBe('done');
    expect(clock.monotonic()).toBe(0);
    expect(logger.lines).toEqual([]);
  });

  it('should repeat with the delays, the last of them again and again, and begin anew after a success', async () => {
    const { clock, logger, throttler, sleeper, times, failing } = prepare([1, 5]);
    await clock.runUntil(throttler.run(failing(4), logger, sleeper));
    expect(times).toEqual([0, 1, 6, 11, 16]);
    times.length = 0;
    await clock.runUntil(throttler.run(failing(1), logger, sleeper));
    expect(times).toEqual([16, 17]);
    expect(logger.messages('error').at(-1)).toBe('Throttling for 1 seconds due to an unexpected error: Error: boom');
    expect(logger.messages('log')).toEqual(Array(5).fill('Throttling is over. Switching back to normal operations.'));
  });

  it('should give up for something newer, which has to wait for the rest of the delay', async () => {
    const { clock, logger, throttler, sleeper, times, failing } = prepare([10]);
    const interrupted = { sleep: async (seconds: number) => seconds <= 0 };
    await expect(throttler.run(failing(1), logger, interrupted)).resolves.toBeUndefined();
    await clock.advance(4000);
    await clock.runUntil(throttler.run(failing(1), logger, sleeper));
    expect(times).toEqual([0, 10]);
  });

  it('should make one attempt at once for what is the last event', async () => {
    const { clock, logger, throttler, sleeper, times, failing } = prepare([10]);
    await expect(throttler.run(failing(9), logger, { sleep: async () => false })).resolves.toBeUndefined();
    await expect(throttler.run(failing(9), logger, sleeper, true)).resolves.toBeUndefined();
    expect(times).toEqual([0, 0]);
    expect(clock.pending).toBe(0);
  });

  it('should make one attempt only if there are no delays', async () => {
    const { logger, throttler, sleeper, times, failing } = prepare([]);
    await expect(throttler.run(failing(9), logger, sleeper)).resolves.toBeUndefined();
    await expect(throttler.run(failing(9), logger, sleeper)).resolves.toBeUndefined();
    expect(times).toEqual([0, 0]);
    expect(logger.messages('error')).toHaveLength(2);
  });
});
