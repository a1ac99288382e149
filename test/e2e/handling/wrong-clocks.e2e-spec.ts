import { OnCreate, TemporaryError, type ChangeContext, type Clock, type ClockTimer } from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const HOUR = 3_600_000;

/** The clock of a host whose wall clock is off, by milliseconds that can be set. */
class SkewedClock implements Clock {
  constructor(
    private readonly real: Clock,
    public skew = 0,
  ) {}

  now(): number {
    return this.real.now() + this.skew;
  }

  monotonic(): number {
    return this.real.monotonic();
  }

  setTimer(callback: () => void, milliseconds: number): ClockTimer {
    return this.real.setTimer(callback, milliseconds);
  }
}

/** The record of a handler in Kopf's format, by a host whose clock is off. */
function record(now: number, delay: number) {
  const stamp = (time: number): string => new Date(time).toISOString().replace('Z', '000+00:00');
  return JSON.stringify({
    started: stamp(now),
    delayed: stamp(now + delay * 1000),
    purpose: 'create',
    retries: 1,
    success: false,
    failure: false,
  });
}

describe('Progress that was written by a host with another clock', () => {
  it.each([0, 0.1, 1, 5, 24])('should delay a handler for as long as it was to be: %d hours ahead', async (hours) => {
    const harness = await OperatorHarness.start();
    const calls: { at: number; retry: number; runtime: number }[] = [];
    class Handlers {
      @OnCreate(...KEX)
      create({ retry, runtime }: ChangeContext) {
        calls.push({ at: harness.clock.monotonic(), retry, runtime });
        if (calls.length < 4) throw new TemporaryError('not yet', { delay: 30 });
      }
    }
    const annotations = { 'kopf.zalando.org/create': record(harness.clock.now() + hours * HOUR, 60) };
    await harness.create('a', { metadata: { annotations } });
    const began = harness.clock.monotonic();
    const operator = await harness.run(Handlers);
    await harness.advance(55);
    expect(calls).toEqual([]);
    await harness.advance(10);
    expect(calls.map(({ retry }) => retry)).toEqual([1]);
    await harness.advance(100);
    expect(calls.map(({ at }) => Math.round((at - began) / 1000))).toEqual([60, 90, 120, 150]);
    expect(calls.map(({ runtime }) => Math.round(runtime))).toEqual([60, 90, 120, 150]);
    expect(calls.map(({ retry }) => retry)).toEqual([1, 2, 3, 4]);
    expect((await harness.object('a')).metadata.annotations).not.toHaveProperty(['kopf.zalando.org/create']);
    await harness.stop(operator);
  });

  it('should not run into the time limit, nor be without one', async () => {
    const harness = await OperatorHarness.start();
    let calls = 0;
    class Handlers {
      @OnCreate(...KEX, { timeout: 100, backoff: 20 })
      create() {
        calls += 1;
        throw new Error('never');
      }
    }
    const annotations = { 'kopf.zalando.org/create': record(harness.clock.now() + 5 * HOUR, 10) };
    await harness.create('a', { metadata: { annotations } });
    await harness.run(Handlers);
    await harness.advance(600);
    expect(calls).toBe(5);
  });

  it.each([-5, 5])(
    'should delay handlers as they ask for when the clock is set by %d hours while they wait',
    async (hours) => {
      const harness = await OperatorHarness.start();
      const clock = new SkewedClock(harness.clock);
      const calls: { at: number; runtime: number }[] = [];
      class Handlers {
        @OnCreate(...KEX, { timeout: 3600 })
        create({ runtime }: ChangeContext) {
          calls.push({ at: harness.clock.monotonic() / 1000, runtime });
          if (calls.length < 4) throw new TemporaryError('not yet', { delay: 30 });
        }
      }
      await harness.run(Handlers, { clock });
      await harness.create('a');
      await harness.advance(10);
      clock.skew = hours * HOUR;
      // Whatever is changed meanwhile lets the operator look at the object.
      await harness.patch('a', { metadata: { labels: { touched: 'yes' } } });
      await harness.advance(300);
      const [first] = calls;
      expect(calls.map(({ at }) => Math.round(at - first.at))).toEqual([0, 30, 60, 90]);
      expect(calls.map(({ runtime }) => Math.round(runtime))).toEqual([0, 30, 60, 90]);
    },
  );

  it.each([
    [-5, 'a handler', false],
    [5, 'a handler', false],
    [-5, 'a sub-handler', true],
    [5, 'a sub-handler', true],
  ])(
    'should delay handlers as they ask for when the clock is set by %d hours during an attempt of %s',
    async (hours, _, isChild) => {
      const harness = await OperatorHarness.start();
      const clock = new SkewedClock(harness.clock);
      const calls: number[] = [];
      const attempt = (): void => {
        calls.push(harness.clock.monotonic() / 1000);
        if (calls.length === 2) clock.skew = hours * HOUR;
        if (calls.length < 5) throw new TemporaryError('not yet', { delay: 30 });
      };
      class Handlers {
        @OnCreate(...KEX, { timeout: 3600 })
        create({ subhandler }: ChangeContext) {
          if (isChild) subhandler('child', attempt, { timeout: 3600 });
          else attempt();
        }
      }
      await harness.run(Handlers, { clock });
      await harness.create('a');
      await harness.advance(600);
      const [first] = calls;
      expect(calls.map((at) => Math.round(at - first))).toEqual([0, 30, 60, 90, 120]);
    },
  );

  it('should go on when the clock of the host is set back while handlers wait', async () => {
    const harness = await OperatorHarness.start();
    const clock = new SkewedClock(harness.clock, 5 * HOUR);
    const calls: number[] = [];
    class Handlers {
      @OnCreate(...KEX)
      create() {
        calls.push(Math.round(harness.clock.monotonic() / 1000));
        if (calls.length < 5) throw new TemporaryError('not yet', { delay: 30 });
      }
    }
    await harness.run(Handlers, { clock });
    await harness.create('a');
    await harness.advance(40);
    clock.skew = 0;
    await harness.advance(300);
    expect(calls).toHaveLength(5);
    expect(calls[4] - calls[0]).toBeLessThan(240);
  });
});
