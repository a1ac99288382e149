import { KopfOperator, PermanentError, TemporaryError, Timer, type TimerContext } from 'nestjs-kopf';
import type { TimerOptions } from 'nestjs-kopf/decorators';
import { KEX, OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';
import { failOnUnhandledRejections } from '../../support/runner/unhandled.rejections.js';

/** The body of the timer; it can be called before the test goes on. */
type Body = (context: TimerContext, timer: Ticking) => unknown;

/** One timer on one object, and when it was invoked: in seconds since the object was created. */
class Ticking {
  readonly times: number[] = [];
  readonly retries: number[] = [];
  began = 0;

  private constructor(readonly harness: OperatorHarness) {}

  static async start(options: TimerOptions, body: Body = () => undefined, more?: OperatorOptions): Promise<Ticking> {
    const harness = await OperatorHarness.start();
    const ticking = new Ticking(harness);
    class Operator {
      @Timer(...KEX, { id: 't', ...options })
      tick(context: TimerContext) {
        ticking.times.push(ticking.now);
        ticking.retries.push(context.retry);
        return body(context, ticking);
      }
    }
    await harness.run(Operator, more);
    ticking.began = harness.clock.monotonic();
    await harness.create('a');
    return ticking;
  }

  get now(): number {
    return Math.round(this.harness.clock.monotonic() - this.began) / 1000;
  }

  get daemons(): number {
    return this.harness.get(KopfOperator).daemons;
  }

  advance(seconds: number): Promise<void> {
    return this.harness.advance(seconds);
  }

  /** Makes the handler take some time. */
  readonly take = (seconds: number): Promise<void> =>
    new Promise((resolve) => this.harness.clock.setTimer(resolve, seconds * 1000));
}

describe('timers', () => {
  failOnUnhandledRejections();

  describe('intervals', () => {
    it('should trigger the handler every interval as long as the object exists', async () => {
      const timer = await Ticking.start({ interval: 2 });
      await timer.advance(7);
      expect(timer.times).toEqual([0, 2, 4, 6]);
      await timer.harness.delete('a');
      await timer.advance(10);
      expect(timer.times).toEqual([0, 2, 4, 6]);
      expect(await timer.harness.read('a')).toBeUndefined();
      expect(timer.daemons).toBe(0);
    });

    it('should count the interval from the end of the handler by default', async () => {
      const timer = await Ticking.start({ interval: 5 }, (_context, { take }) => take(7));
      await timer.advance(25);
      expect(timer.times).toEqual([0, 12, 24]);
    });

    it('should be invoked once without any interval', async () => {
      const timer = await Ticking.start({});
      await timer.advance(100);
      expect(timer.times).toEqual([0]);
      expect(timer.daemons).toBe(0);
    });

    it('should serve each object on its own', async () => {
      const names: string[] = [];
      const timer = await Ticking.start({ interval: 10 }, ({ name }) => names.push(name));
      await timer.advance(5);
      await timer.harness.create('b');
      await timer.advance(21);
      expect(names).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
    });
  });

  describe('sharpness', () => {
    it('should be invoked every interval sharp, no matter how long it takes to execute', async () => {
      const timer = await Ticking.start({ interval: 1, sharp: true }, (_context, { take }) => take(0.3));
      await timer.advance(3.5);
      expect(timer.times).toEqual([0, 1, 2, 3]);
    });

    it('should wait for the next slot of the grid if the handler takes longer than the interval', async () => {
      const timer = await Ticking.start({ interval: 5, sharp: true }, (_context, { take }) => take(7));
      await timer.advance(25);
      expect(timer.times).toEqual([0, 10, 20]);
    });

    it('should not catch up with missed invocations after a long stall', async () => {
      const timer = await Ticking.start({ interval: 1, sharp: true }, (_context, { times, take }) =>
        times.length === 1 ? take(100.5) : undefined,
      );
      await timer.advance(103.2);
      expect(timer.times).toEqual([0, 101, 102, 103]);
    });
  });

  describe('idling', () => {
    it('should be invoked only when the object is stable for some time, and its creation is a change, too', async () => {
      const timer = await Ticking.start({ idle: 10 });
      await timer.advance(5);
      await timer.harness.patch('a', { spec: { field: 'v2' } });
      await timer.advance(9);
      expect(timer.times).toEqual([]);
      await timer.advance(2);
      expect(timer.times).toEqual([15]);
    });

    it('should be invoked once per stable period if there is no interval', async () => {
      const timer = await Ticking.start({ idle: 10 });
      await timer.advance(50);
      expect(timer.times).toEqual([10]);
      await timer.harness.patch('a', { metadata: { labels: { l: 'x' } } });
      await timer.advance(50);
      expect(timer.times).toEqual([10, 60]);
    });

    it('should be invoked every interval after the idle time, and wait for a new idle time once the object has changed', async () => {
      const timer = await Ticking.start({ idle: 10, interval: 1 });
      await timer.advance(12.5);
      expect(timer.times).toEqual([10, 11, 12]);
      await timer.harness.patch('a', { spec: { field: 'v2' } });
      await timer.advance(11);
      expect(timer.times).toEqual([10, 11, 12, 22.5, 23.5]);
    });

    it('should not be reset by changes of the status, nor by own marks', async () => {
      const timer = await Ticking.start({ idle: 10 });
      await timer.advance(5);
      await timer.harness.patch('a', { status: { s: 1 } });
      await timer.harness.patch('a', { metadata: { annotations: { 'kopf.zalando.org/touch-dummy': 'x' } } });
      await timer.advance(6);
      expect(timer.times).toEqual([10]);
    });
  });

  describe('postponing', () => {
    it('should be postponed once, in the very beginning', async () => {
      const timer = await Ticking.start({ interval: 1, initialDelay: 5 });
      await timer.advance(7.5);
      expect(timer.times).toEqual([5, 6, 7]);
    });

    it('should be postponed by what a function says of the object', async () => {
      const timer = await Ticking.start({ interval: 100, initialDelay: ({ spec }) => (spec.field === 'v1' ? 3 : 0) });
      await timer.advance(10);
      expect(timer.times).toEqual([3]);
    });

    it('should combine the initial delay, the interval, and idling', async () => {
      const timer = await Ticking.start({ initialDelay: 60, interval: 10, idle: 600 });
      await timer.advance(625);
      expect(timer.times).toEqual([600, 610, 620]);
    });
  });

  describe('errors', () => {
    it('should override the schedule by the delays of errors', async () => {
      const timer = await Ticking.start({ errors: 'temporary', interval: 10, backoff: 5 }, ({ retry }) => {
        if (retry < 3) throw new Error('not yet');
      });
      await timer.advance(41);
      expect(timer.times).toEqual([0, 5, 10, 15, 25, 30, 35, 40]);
      expect(timer.retries).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
    });

    it('should use the delay of a temporary error', async () => {
      const timer = await Ticking.start({ interval: 10 }, ({ retry }) => {
        if (retry < 1) throw new TemporaryError('not yet', { delay: 2 });
      });
      await timer.advance(13);
      expect(timer.times).toEqual([0, 2, 12]);
    });

    it('should stop forever after a permanent error', async () => {
      const timer = await Ticking.start({ interval: 1 }, () => {
        throw new PermanentError('no way');
      });
      await timer.advance(10);
      await timer.harness.patch('a', { spec: { field: 'v2' } });
      await timer.advance(10);
      expect(timer.times).toEqual([0]);
      expect((await timer.harness.object('a')).metadata.finalizers).toBeUndefined();
    });

    it('should begin anew after a permanent error if the setting says so', async () => {
      const body: Body = () => {
        throw new PermanentError('no way');
      };
      const timer = await Ticking.start({ interval: 1 }, body, { background: { timerFailures: 'repeat' } });
      await timer.advance(3.5);
      expect(timer.times).toEqual([0, 1, 2, 3]);
      expect(timer.retries).toEqual([0, 0, 0, 0]);
    });

    it('should go on after errors that are ignored', async () => {
      const timer = await Ticking.start({ errors: 'ignored', interval: 1 }, () => {
        throw new Error('never mind');
      });
      await timer.advance(2.5);
      expect(timer.times).toEqual([0, 1, 2]);
    });
  });

  it('should never overlap with itself', async () => {
    let running = 0;
    let most = 0;
    const timer = await Ticking.start({ interval: 1, sharp: true }, async (_context, { take }) => {
      most = Math.max(most, ++running);
      await take(3.5);
      running--;
    });
    for (let change = 0; change < 5; change++) {
      await timer.advance(2);
      await timer.harness.patch('a', { spec: { field: `v${change}` } });
    }
    expect(most).toBe(1);
    expect(timer.times).toEqual([0, 4, 8]);
  });

  it("should put the returned values on the object's status", async () => {
    const timer = await Ticking.start({ interval: 10 }, (_context, { times }) => times.length);
    await timer.advance(11);
    expect((await timer.harness.object('a')).status).toEqual({ t: 2 });
  });

  it('should be invoked only while the object matches the filters', async () => {
    const timer = await Ticking.start({ interval: 1, annotations: { on: 'yes' } });
    await timer.advance(3);
    await timer.harness.patch('a', { metadata: { annotations: { on: 'yes' } } });
    await timer.advance(2.5);
    await timer.harness.patch('a', { metadata: { annotations: { on: 'no' } } });
    await timer.advance(3);
    expect(timer.times).toEqual([3, 4, 5]);
    expect(timer.daemons).toBe(0);
  });

  it('should see the newest state of the object in each invocation', async () => {
    const seen: unknown[] = [];
    const timer = await Ticking.start({ interval: 10 }, ({ spec }) => seen.push(spec.field));
    await timer.advance(5);
    await timer.harness.patch('a', { spec: { field: 'v2' } });
    await timer.advance(6);
    expect(seen).toEqual(['v1', 'v2']);
  });

  it('should let a running invocation end before the object goes', async () => {
    const timer = await Ticking.start({ interval: 1 }, (_context, { take }) => take(5));
    await timer.advance(1);
    await timer.harness.delete('a');
    await timer.advance(3);
    expect(await timer.harness.read('a')).toBeDefined();
    await timer.advance(2);
    expect(await timer.harness.read('a')).toBeUndefined();
  });

  it('should not hold the process although an invocation never ends', async () => {
    const timer = await Ticking.start({ interval: 1 }, () => new Promise(() => undefined));
    await timer.advance(1);
    const began = timer.now;
    await timer.harness.stop();
    expect(timer.now - began).toBeLessThanOrEqual(6);
  });
});
