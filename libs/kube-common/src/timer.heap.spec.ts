import { AsyncLocalStorage } from 'node:async_hooks';
import { VirtualClock } from '../../kopf/src/testing/time/virtual.clock.js';
import { SeededRandom } from './random.js';
import { TimerHeap } from './timer.heap.js';

describe('TimerHeap', () => {
  let clock: VirtualClock;
  let heap: TimerHeap;
  let fired: string[];

  beforeEach(() => {
    clock = new VirtualClock();
    heap = new TimerHeap(clock);
    fired = [];
  });

  const set = (name: string, milliseconds: number) => heap.setTimer(() => fired.push(name), milliseconds);

  it('should fire in the order of the times, and of the setting for the same time', async () => {
    set('late', 30);
    set('one', 10);
    set('other', 10);
    set('middle', 20);
    await clock.advance(30);
    expect(fired).toEqual(['one', 'other', 'middle', 'late']);
  });

  it('should have a single timer of the clock for all of them, and none without any', async () => {
    const timers = Array.from({ length: 100 }, (_, index) => set(String(index), 1000 - index));
    expect(clock.pending).toBe(1);
    for (const timer of timers) timer.cancel();
    expect([clock.pending, heap.size]).toEqual([0, 0]);
  });

  it('should fire outside of what was being done when a timer was set', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    storage.run('work', () => heap.setTimer(() => seen.push(storage.getStore()), 10));
    // The clock calls in the context of who has set its timer, as that of Node does.
    await storage.run('work', () => clock.advance(10));
    expect(seen).toEqual([undefined]);
  });

  it('should not fire what was cancelled, also by what fires before it', async () => {
    set('first', 10);
    const second = set('second', 20);
    heap.setTimer(() => second.cancel(), 10);
    await clock.advance(30);
    expect(fired).toEqual(['first']);
  });

  it('should fire very many timers that are due at once in several turns of the event loop', async () => {
    for (let index = 0; index < 2000; index++) set(String(index), 10);
    let turns = 0;
    const setTimer = clock.setTimer.bind(clock);
    clock.setTimer = (callback, milliseconds) => {
      turns++;
      return setTimer(callback, milliseconds);
    };
    await clock.advance(10);
    expect(fired).toHaveLength(2000);
    expect(turns).toBeGreaterThan(1);
  });

  it('should continue although a timer throws', async () => {
    heap.setTimer(() => {
      throw new Error('broken');
    }, 10);
    set('next', 20);
    await expect(clock.advance(10)).rejects.toThrow('broken');
    await clock.advance(10);
    expect(fired).toEqual(['next']);
  });

  it('should keep the order over random setting and cancelling', async () => {
    const random = new SeededRandom(7);
    const expected: number[] = [];
    const actual: number[] = [];
    for (let index = 0; index < 500; index++) {
      const due = Math.floor(random.next() * 1000);
      const timer = heap.setTimer(() => actual.push(due), due);
      if (random.next() < 0.3) timer.cancel();
      else expected.push(due);
    }
    await clock.advance(1000);
    expect(actual).toEqual(expected.sort((one, other) => one - other));
  });
});
