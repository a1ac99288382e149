import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { RepairPace } from './configuration.repair.js';

describe('RepairPace', () => {
  it('should repair soon at first, then ever later, and notice when that becomes a fight', () => {
    const pace = new RepairPace(new VirtualClock());
    const steps = Array.from({ length: 9 }, () => {
      const { delay } = pace;
      pace.record();
      return [delay, pace.isConflict];
    });
    expect(steps.map(([delay]) => delay)).toEqual([0.1, 0.1, 0.1, 1, 2, 5, 10, 10, 10]);
    expect(steps.flatMap(([, isFight], index) => (isFight ? [index] : []))).toEqual([3]);
  });

  it('should begin anew after a quiet minute', async () => {
    const clock = new VirtualClock();
    const pace = new RepairPace(clock);
    for (let count = 0; count < 9; count++) pace.record();
    await clock.advance(60_000);
    expect(pace.delay).toBe(10);
    pace.record();
    await clock.advance(60_001);
    expect(pace.delay).toBe(0.1);
    pace.record();
    expect(pace.isConflict).toBe(false);
  });
});
