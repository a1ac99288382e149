import { VirtualClock } from '../testing/virtual.clock.js';
import { Signal, sleep } from './waiting.js';

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

  it('should remember that it was raised while nobody waited, once', async () => {
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
