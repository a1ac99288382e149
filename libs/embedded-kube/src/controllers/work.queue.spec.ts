import { VirtualClock } from '../../../../test/support/time/virtual.clock.js';
import { WorkQueue } from './work.queue.js';

const setUp = (process: (key: string) => Promise<void>) => {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const logger = {
    debug: () => {},
    log: () => {},
    warn: (message: string) => void warnings.push(message),
    error: () => {},
  };
  return { clock, warnings, queue: new WorkQueue('test', process, { clock, logger }) };
};

describe('WorkQueue', () => {
  it('should work on a key once, however often it was added, and not synchronously', async () => {
    const done: string[] = [];
    const { clock, queue } = setUp(async (key) => void done.push(key));
    for (const key of ['a', 'b', 'a']) queue.add(key);
    expect(done).toEqual([]);
    await clock.settle();
    expect(done).toEqual(['a', 'b']);
  });

  it('should work on a key again that is added while it is worked on', async () => {
    let runs = 0;
    const { clock, queue } = setUp(async (key) => {
      if (++runs === 1) queue.add(key);
    });
    queue.add('a');
    await clock.settle();
    expect(runs).toBe(2);
  });

  it('should try a failed key again, later and later, and say so', async () => {
    const times: number[] = [];
    const { clock, queue, warnings } = setUp(async () => {
      times.push(clock.monotonic());
      if (times.length < 4) throw new Error('no');
    });
    queue.add('a');
    await clock.advance(10_000);
    expect(times).toEqual([0, 20, 60, 140]);
    expect(warnings).toEqual(Array(3).fill('test: a: Error: no'));
    expect(clock.pending).toBe(0);
  });

  it('should try again without a word after a conflict', async () => {
    let runs = 0;
    const { clock, queue, warnings } = setUp(async () => {
      if (++runs === 1) throw Object.assign(new Error('newer'), { code: 409 });
    });
    queue.add('a');
    await clock.advance(100);
    expect([runs, warnings]).toEqual([2, []]);
  });

  it('should keep the earliest of several delays', async () => {
    const times: number[] = [];
    const { clock, queue } = setUp(async () => void times.push(clock.monotonic()));
    queue.addAfter('a', 500);
    queue.addAfter('a', 100);
    queue.addAfter('a', 300);
    await clock.advance(1000);
    expect(times).toEqual([100]);
  });

  it('should take nothing more and hold no timer once it is stopped', async () => {
    const done: string[] = [];
    const { clock, queue } = setUp(async (key) => void done.push(key));
    queue.addAfter('a', 100);
    queue.add('b');
    await queue.stop();
    queue.add('c');
    await clock.advance(1000);
    expect(done).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
