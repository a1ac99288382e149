import { SeededRandom, sleep } from 'kube-common';
import { VirtualClock } from './virtual.clock.js';

describe('VirtualClock', () => {
  it('should fire timers in the order of their due times, then of their setting', async () => {
    const clock = new VirtualClock();
    const random = new SeededRandom(7);
    const fired: [number, number][] = [];
    const expected: [number, number][] = [];
    for (let index = 0; index < 200; index++) {
      const delay = Math.floor(random.next() * 50);
      const timer = clock.setTimer(() => fired.push([delay, index]), delay);
      if (index % 3) expected.push([delay, index]);
      else timer.cancel();
    }
    await clock.advance(50);
    expect(fired).toEqual(expected.sort((one, other) => one[0] - other[0] || one[1] - other[1]));
    expect(clock.pending).toBe(0);
  });

  it('should let promises continue between timers, and fire timers that they set', async () => {
    const clock = new VirtualClock(0);
    const seen: number[] = [];
    const work = (async () => {
      for (let step = 0; step < 3; step++) {
        await sleep(clock, 1);
        await Promise.resolve();
        seen.push(clock.now());
      }
    })();
    await clock.advance(2500);
    expect(seen).toEqual([1000, 2000]);
    await clock.advance(500);
    await work;
    expect(seen).toEqual([1000, 2000, 3000]);
    expect(clock.monotonic()).toBe(3000);
  });

  it('should run until a promise is settled, and tell when it never is', async () => {
    const clock = new VirtualClock();
    expect(await clock.runUntil(sleep(clock, 3600))).toBe(true);
    expect(clock.monotonic()).toBe(3_600_000);
    await expect(clock.runUntil(new Promise(() => {}))).rejects.toThrow('no timer is left');
    await expect(clock.runUntil(sleep(clock, 100), 1000)).rejects.toThrow('Not settled within 1000 ms');
    await expect(clock.runUntil(Promise.reject(new Error('as is')))).rejects.toThrow('as is');
  });
});
