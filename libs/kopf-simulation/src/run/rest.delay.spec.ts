import { VirtualClock } from 'nestjs-kopf/testing';
import { RestDelay } from './rest.delay.js';

describe('RestDelay', () => {
  it('should be as long as others take to take over, and longer after clocks were set back', () => {
    const delay = new RestDelay(new VirtualClock());
    expect(delay.secondsWith(0)).toBe(0);
    delay.onClockJump(-3600);
    expect(delay.secondsWith(0)).toBe(0);
    delay.onWrite('leases.coordination.k8s.io');
    // Replicas measure how long a Lease has not changed, whatever the time of day is.
    expect(delay.secondsWith(0)).toBe(20);
    expect(delay.isUnderLease).toBe(true);
    delay.onWrite('clusterkopfpeerings.kopf.dev');
    expect(delay.secondsWith(0)).toBe(3670);
    expect(delay.isCoordinated).toBe(true);
    expect(delay.isUnderLease).toBe(false);
  });

  it('should be twice the interval of timers, and never less than five seconds', () => {
    const delay = new RestDelay(new VirtualClock());
    expect([0, 1, 30].map((interval) => delay.secondsWith(interval))).toEqual([0, 5, 60]);
  });

  it('should start again with each request that fails', async () => {
    const clock = new VirtualClock();
    const delay = new RestDelay(clock);
    expect(delay.recoveredAt).toBe(-Infinity);
    delay.onFailure();
    await clock.advance(40_000);
    delay.onFailure();
    expect(delay.recoveredAt - clock.monotonic()).toBe(65_000);
  });

  it('should last until daemons and timers are called that have failed, and longer after requests that fail', () => {
    const clock = new VirtualClock();
    const delay = new RestDelay(clock);
    delay.onBackgroundCall(10);
    expect(delay.recoveredAt).toBe(15_000);
    delay.onFailure();
    expect(delay.recoveredAt).toBe(65_000);
    delay.onBackgroundCall(10);
    expect(delay.recoveredAt).toBe(65_000);
    delay.onBackgroundCall(100);
    expect(delay.recoveredAt).toBe(105_000);
  });
});
