import { VirtualClock } from '../../testing/virtual.clock.js';
import { RestDelay } from './rest.delay.js';

describe('RestDelay', () => {
  it('should be as long as others take to take over, and longer after clocks were set back', () => {
    const delay = new RestDelay(new VirtualClock());
    expect(delay.secondsWith(0)).toBe(0);
    delay.onLeap(-3600);
    expect(delay.secondsWith(0)).toBe(0);
    delay.onWrite('leases.coordination.k8s.io');
    expect(delay.secondsWith(0)).toBe(3620);
    expect(delay.isCoordinated).toBe(true);
  });

  it('should be twice the interval of timers, and never less than five seconds', () => {
    const delay = new RestDelay(new VirtualClock());
    expect([0, 1, 30].map((interval) => delay.secondsWith(interval))).toEqual([0, 5, 60]);
  });

  it('should begin anew with each request that fails', async () => {
    const clock = new VirtualClock();
    const delay = new RestDelay(clock);
    expect(delay.recoveredAt).toBe(-Infinity);
    delay.onFailure();
    await clock.advance(40_000);
    delay.onFailure();
    expect(delay.recoveredAt - clock.monotonic()).toBe(65_000);
  });

  it('should end when all that has failed has succeeded', async () => {
    const clock = new VirtualClock();
    const delay = new RestDelay(clock);
    const create = { method: 'POST', path: '/api/v1/namespaces/default/pods', headers: {}, body: '{"a":1}' };
    const other = { ...create, body: '{"a":2}' };
    delay.onFailure(create);
    await clock.advance(1000);
    delay.onFailure(other);
    delay.onSuccess(other);
    expect(delay.recoveredAt).toBe(65_000);
    delay.onSuccess(create);
    expect(delay.recoveredAt).toBe(-Infinity);
  });
});
