import { getEventListeners } from 'node:events';
import { VirtualClock } from '../../kopf/src/testing/time/virtual.clock.js';
import { Deferred, Signal, sleep, unlessAborted, WaitingQueue } from './waiting.js';

describe('sleep', () => {
  it('should tell whether the whole time was slept, and free what it used', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const slept = sleep(clock, 10, controller.signal);
    await clock.advance(10_000);
    await expect(slept).resolves.toBe(true);
    const interrupted = sleep(clock, 10, controller.signal);
    controller.abort();
    await expect(interrupted).resolves.toBe(false);
    await expect(sleep(clock, 10, controller.signal)).resolves.toBe(false);
    expect(clock.pending).toBe(0);
  });
});

describe('unlessAborted', () => {
  it.each<[string, (work: Deferred<string>, abort: AbortController) => void, string]>([
    ['the result', (work) => work.resolve('done'), 'done'],
    ['the error', (work) => work.reject('failed'), 'failed'],
    ['the reason', (_, abort) => abort.abort('enough'), 'enough'],
  ])('should settle with %s, and leave no listener', async (_, act, expected) => {
    const abort = new AbortController();
    const work = new Deferred<string>();
    const waiting = unlessAborted(work.promise, abort.signal).catch((error: unknown) => error);
    act(work, abort);
    expect(await waiting).toBe(expected);
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });

  it('should reject at once if it was aborted before, and catch what the promise rejects with later', async () => {
    const work = new Deferred();
    await expect(unlessAborted(work.promise, AbortSignal.abort('enough'))).rejects.toBe('enough');
    work.reject(new Error('late'));
  });
});

describe('WaitingQueue', () => {
  it('should release in the order of the coming, as many as are allowed', async () => {
    const queue = new WaitingQueue();
    const released: number[] = [];
    for (let index = 0; index < 5000; index += 1) void queue.join().then(() => released.push(index));
    expect(queue.release()).toBe(1);
    expect(queue.release(2998)).toBe(2998);
    expect(queue.release(0)).toBe(0);
    expect(queue.length).toBe(2001);
    void queue.join().then(() => released.push(5000));
    expect(queue.release(9999)).toBe(2002);
    expect(queue.length).toBe(0);
    expect(queue.release()).toBe(0);
    await Promise.resolve();
    expect(released).toEqual(Array.from({ length: 5001 }, (_, index) => index));
  });
});

describe('Signal', () => {
  it.each([
    ['is raised', (signal: Signal) => signal.raise(), undefined],
    ['is aborted', (_: Signal, abort: AbortController) => abort.abort(), undefined],
    ['has waited long enough', () => undefined, 10],
  ])('should end the waiting when it %s', async (_, act, seconds) => {
    const clock = new VirtualClock();
    const signal = new Signal();
    const abort = new AbortController();
    let ended = false;
    const waiting = signal.wait(clock, seconds, abort.signal).then(() => (ended = true));
    await clock.settle();
    expect(ended).toBe(false);
    act(signal, abort);
    await clock.advance(10_000);
    await waiting;
    expect(clock.pending).toBe(0);
  });

  it('should remember once that it was raised while the loop did not wait', async () => {
    const clock = new VirtualClock();
    const signal = new Signal();
    const { signal: abort } = new AbortController();
    signal.raise();
    signal.raise();
    await signal.wait(clock, undefined, abort);
    let ended = false;
    void signal.wait(clock, 5, abort).then(() => (ended = true));
    await clock.advance(4000);
    expect(ended).toBe(false);
    await clock.advance(1000);
    expect(ended).toBe(true);
  });

  it('should not wait at all if it was aborted before', async () => {
    const abort = new AbortController();
    abort.abort();
    await new Signal().wait(new VirtualClock(), undefined, abort.signal);
  });
});
