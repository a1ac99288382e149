import { setTimeout as realSleep } from 'node:timers/promises';
import {
  Daemon,
  KopfOperator,
  OnDelete,
  OnEvent,
  PermanentError,
  StopReason,
  TemporaryError,
  type DaemonContext,
  type EventContext,
} from 'nestjs-kopf';
import type { DaemonOptions } from 'nestjs-kopf/decorators';
import { KEX, OperatorHarness, errorResponse, type OperatorOptions } from '../../support/operators/operator.harness.js';
import { failOnUnhandledRejections } from '../../support/runner/unhandled.rejections.js';

const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';

type Body = (context: DaemonContext) => unknown;

/** A class with one daemon, which is the given function. */
function daemon(options: DaemonOptions, body: Body) {
  class Operator {
    @Daemon(...KEX, { id: 'd', ...options })
    run(context: DaemonContext) {
      return body(context);
    }
  }
  return Operator;
}

/** Does not care for anything; never ends. */
const stubborn: Body = () => new Promise(() => undefined);

describe('daemons', () => {
  failOnUnhandledRejections();

  async function start(options: DaemonOptions, body: Body, more?: OperatorOptions): Promise<OperatorHarness> {
    const harness = await OperatorHarness.start();
    await harness.run(daemon(options, body), more);
    return harness;
  }

  /** The number of daemons of the operator. */
  const countDaemons = (harness: OperatorHarness): number => harness.get(KopfOperator).daemons;

  /** Measures how many seconds the operator takes to stop. */
  async function stopping(harness: OperatorHarness): Promise<number> {
    const began = harness.clock.monotonic();
    await harness.stop();
    return (harness.clock.monotonic() - began) / 1000;
  }

  describe('spawning', () => {
    it('should be started for every individual object when it is created', async () => {
      const names: string[] = [];
      const w = await start({}, ({ name, stopped }) => (names.push(name), stopped.wait()));
      await w.create('a');
      await w.create('b');
      await w.advance(1);
      expect(names).toEqual(['a', 'b']);
    });

    it('should be started when the operator is started while the object exists', async () => {
      const names: string[] = [];
      const w = await OperatorHarness.start();
      await w.create('a');
      await w.run(daemon({}, ({ name, stopped }) => (names.push(name), stopped.wait())));
      expect(names).toEqual(['a']);
    });

    it('should start before its finalizer is stored', async () => {
      let finalizers: unknown;
      const w = await start({}, ({ meta, stopped }) => {
        finalizers = meta.finalizers;
        return stopped.wait();
      });
      await w.create('a');
      await w.advance(1);
      expect(finalizers).toBeUndefined();
      expect((await w.read('a'))?.metadata.finalizers).toEqual([FINALIZER]);
    });

    it('should never have two instances for one object and handler', async () => {
      let running = 0;
      let most = 0;
      const w = await start({}, async ({ stopped }) => {
        most = Math.max(most, ++running);
        await stopped.wait();
        running--;
      });
      await w.create('a');
      for (const field of ['v2', 'v3', 'v4']) {
        await w.patch('a', { spec: { field } });
        await w.advance(1);
      }
      expect({ running, most }).toEqual({ running: 1, most: 1 });
    });
  });

  describe('termination', () => {
    it('should set stopped with its reason when the object is marked for deletion, and let the object go', async () => {
      let reason = 0;
      const w = await start({}, async ({ stopped }) => {
        expect(stopped.isSet).toBe(false);
        expect(await stopped.wait()).toBe(true);
        reason = stopped.reason;
      });
      await w.create('a');
      await w.advance(1);
      await w.delete('a');
      await w.advance(1);
      expect(reason).toBe(StopReason.RESOURCE_DELETED);
      expect(await w.read('a')).toBeUndefined();
      expect(countDaemons(w)).toBe(0);
    });

    it('should set stopped when the operator is exiting', async () => {
      let reason = 0;
      const w = await start({}, async ({ stopped }) => {
        await stopped.wait();
        reason = stopped.reason;
      });
      await w.create('a');
      await w.advance(1);
      expect(await stopping(w)).toBeLessThan(1);
      expect(reason).toBe(StopReason.OPERATOR_EXITING);
    });

    it('should abort the signal of a daemon that takes only the signal, without an error being logged', async () => {
      const w = await start({}, ({ signal }) => realSleep(100_000, undefined, { signal }));
      await w.create('a');
      await w.advance(1);
      await w.delete('a');
      await w.advance(1);
      expect(await w.read('a')).toBeUndefined();
      expect(w.logger.messages('error')).toEqual([]);
    });

    it('should await the cancellation backoff between stopped and the signal, and the timeout after it', async () => {
      const log: [string, number][] = [];
      const w = await start({ cancellationBackoff: 5, cancellationTimeout: 7 }, ({ stopped, signal }) => {
        void stopped.wait().then(() => log.push(['stopped', w.clock.monotonic()]));
        signal.addEventListener('abort', () => log.push(['aborted', w.clock.monotonic()]));
        return stubborn(undefined as never);
      });
      await w.create('a');
      await w.advance(1);
      await w.delete('a');
      const asked = w.clock.monotonic();
      await w.advance(11);
      expect(log).toEqual([
        ['stopped', asked],
        ['aborted', asked + 5000],
      ]);
      expect(await w.read('a')).toBeDefined();
      await w.advance(2);
      expect(await w.read('a')).toBeUndefined();
      expect(w.logger.messages('warn')).toContain("[ns/a] Daemon 'd' did not exit in time. Leaving it orphaned.");
    });

    it('should remove the finalizer anyway when the daemon disobeys and the timeouts are over', async () => {
      const w = await start({ cancellationTimeout: 3 }, stubborn);
      await w.create('a');
      await w.advance(1);
      await w.delete('a');
      await w.advance(2);
      expect(await w.read('a')).toBeDefined();
      await w.advance(2);
      expect(await w.read('a')).toBeUndefined();
    });

    it('should wait for ever without a cancellation timeout, and keep the object blocked', async () => {
      let release: () => void = () => undefined;
      const w = await start({}, () => new Promise<void>((resolve) => (release = resolve)));
      await w.create('a');
      await w.advance(1);
      await w.delete('a');
      await w.advance(3600);
      expect(await w.read('a')).toBeDefined();
      release();
      await w.advance(1);
      expect(await w.read('a')).toBeUndefined();
    });

    it('should not hold the process although daemons ignore everything', async () => {
      const w = await start({}, stubborn);
      await w.create('a');
      await w.create('b');
      await w.advance(1);
      expect(await stopping(w)).toBeLessThanOrEqual(6);
      expect(w.logger.messages('warn')).toContain("[ns/a] Daemon 'd' did not exit in time. Leaving it orphaned.");
    });

    it('should respect the own cancellation times of a daemon when the operator is exiting', async () => {
      const w = await start({ cancellationBackoff: 10, cancellationTimeout: 20 }, stubborn);
      await w.create('a');
      await w.advance(1);
      expect(await stopping(w)).toBeCloseTo(30, 0);
    });

    it('should end stopped.wait() when the time is reached, or immediately when it is set', async () => {
      const waits: [boolean, number][] = [];
      const w = await start({}, async ({ stopped }) => {
        for (let turn = 0; turn < 2; turn++) {
          const began = w.clock.monotonic();
          const result = await stopped.wait(10);
          waits.push([result, w.clock.monotonic() - began]);
        }
      });
      await w.create('a');
      await w.advance(14);
      await w.delete('a');
      await w.advance(1);
      expect(waits[0]).toEqual([false, 10_000]);
      expect(waits[1][0]).toBe(true);
      expect(waits[1][1]).toBeLessThan(5000);
    });
  });

  describe('postponing', () => {
    it.each([
      ['a number', 30],
      ['a function of the object', ({ spec }: { spec: any }) => spec.delay as number],
    ])('should delay the start by the initial delay: %s', async (_what, initialDelay) => {
      const starts: number[] = [];
      const w = await start({ initialDelay }, ({ stopped }) => (starts.push(w.clock.monotonic()), stopped.wait()));
      await w.create('a', { spec: { delay: 30 } });
      const created = w.clock.monotonic();
      await w.advance(29);
      expect(starts).toEqual([]);
      await w.advance(2);
      expect(starts).toEqual([created + 30_000]);
    });

    it('should not start at all if it is stopped during the initial delay', async () => {
      const starts: string[] = [];
      const w = await start({ initialDelay: 30 }, ({ name }) => starts.push(name));
      await w.create('a');
      await w.advance(10);
      await w.delete('a');
      await w.advance(60);
      expect(starts).toEqual([]);
      expect(await w.read('a')).toBeUndefined();
    });

    it('should start without the delay, and say so, if the function throws', async () => {
      const starts: string[] = [];
      const initialDelay = (): number => {
        throw new Error('no idea');
      };
      const w = await start({ initialDelay }, ({ name, stopped }) => (starts.push(name), stopped.wait()));
      await w.create('a');
      await w.advance(1);
      expect(starts).toEqual(['a']);
      expect(w.logger.messages('error').join()).toContain('no idea');
    });
  });

  describe('restarting', () => {
    const ends: readonly [string, Body][] = [
      ['returns', () => undefined],
      ['fails permanently', () => Promise.reject(new PermanentError('Bye-bye!'))],
    ];

    it.each(ends)('should not hold the object any longer when it %s, without any event', async (_what, body) => {
      const w = await start({ initialDelay: 30 }, body);
      await w.create('a');
      await w.advance(20);
      expect((await w.read('a'))?.metadata.finalizers).toEqual([FINALIZER]);
      await w.advance(20);
      expect((await w.read('a'))?.metadata.finalizers).toBeUndefined();
    });

    it('should leave the object to handlers of deletions when it ends', async () => {
      class Deletions {
        @OnDelete(...KEX)
        release() {}
      }
      const w = await OperatorHarness.start();
      await w.run([daemon({ initialDelay: 30 }, () => undefined), Deletions]);
      await w.create('a');
      await w.advance(40);
      expect((await w.read('a'))?.metadata.finalizers).toEqual([FINALIZER]);
    });

    it.each(ends)('should not be started again in this process if it %s', async (_what, body) => {
      let starts = 0;
      const w = await start({}, (context) => (starts++, body(context)));
      await w.create('a');
      await w.advance(1);
      await w.patch('a', { spec: { field: 'v2' } });
      await w.advance(100);
      expect(starts).toBe(1);
      // Nobody requires the finalizer any more.
      expect((await w.read('a'))?.metadata.finalizers).toBeUndefined();
    });

    it('should be called again after the delay of a temporary error', async () => {
      const calls: number[] = [];
      const w = await start({}, ({ retry }) => {
        calls.push(w.clock.monotonic());
        if (retry < 2) throw new TemporaryError('Need to restart.', { delay: 10 });
      });
      await w.create('a');
      await w.advance(60);
      expect(calls.map((time) => time - calls[0])).toEqual([0, 10_000, 20_000]);
    });

    it('should be called again instantly if the delay is zero', async () => {
      let calls = 0;
      const w = await start({}, ({ retry }) => {
        calls++;
        if (retry < 5) throw new TemporaryError('Again.', { delay: 0 });
      });
      await w.create('a');
      await w.advance(0.1);
      expect(calls).toBe(6);
    });
  });

  describe('error handling', () => {
    it('should be the same as for all other handlers', async () => {
      const retries: [number, number][] = [];
      const w = await start({ errors: 'temporary', backoff: 5, retries: 10 }, ({ retry }) => {
        retries.push([retry, w.clock.monotonic()]);
        if (retry < 3) throw new TemporaryError("I'll be back!", { delay: 1 });
        if (retry < 5) throw new Error('Something happened!');
        throw new PermanentError('Bye-bye!');
      });
      await w.create('a');
      await w.advance(100);
      const began = retries[0][1];
      expect(retries.map(([retry, time]) => [retry, (time - began) / 1000])).toEqual([
        [0, 0],
        [1, 1],
        [2, 2],
        [3, 3],
        [4, 8],
        [5, 13],
      ]);
    });

    it('should live with a daemon that throws synchronously', async () => {
      const w = await start({ backoff: 1, retries: 2 }, () => {
        throw new Error('at once');
      });
      await w.create('a');
      await w.advance(10);
      expect(w.logger.messages('error').filter((line) => line.includes('at once'))).toHaveLength(2);
      expect(countDaemons(w)).toBe(0);
    });

    it('should go on with the others after a daemon that has blocked the event loop', async () => {
      const names: string[] = [];
      const w = await start({}, async ({ name, stopped }) => {
        const end = performance.now() + (name === 'a' ? 3000 : 0);
        while (performance.now() < end);
        names.push(name);
        await stopped.wait();
      });
      await w.create('a');
      await w.create('b');
      await w.advance(1);
      expect(names).toEqual(['a', 'b']);
      expect(await stopping(w)).toBeLessThan(1);
    });

    it('should end the daemon alone if its patch cannot even be looked at', async () => {
      const w = await start({ retries: 1 }, ({ patch }) => {
        patch.merge({ spec: { field: 'x' } });
        Object.defineProperty(patch.status, 'broken', {
          enumerable: true,
          get: () => {
            throw new Error('unreadable');
          },
        });
      });
      await w.create('a');
      await w.advance(10);
      expect(countDaemons(w)).toBe(0);
      expect(w.logger.messages('error').join()).toContain('unreadable');
    });

    it('should live with a daemon whose errors are not even errors', async () => {
      // oxlint-disable-next-line prefer-promise-reject-errors
      const w = await start({ backoff: 1, retries: 1 }, () => Promise.reject('a text'));
      await w.create('a');
      await w.advance(10);
      expect(w.logger.messages('error').join()).toContain('a text');
    });
  });

  describe('deletion prevention', () => {
    it('should not let the object go while its daemons are running', async () => {
      const w = await start({}, async ({ stopped }) => {
        await stopped.wait();
        await new Promise<void>((resolve) => w.clock.setTimer(resolve, 7000));
      });
      await w.create('a');
      await w.advance(1);
      await w.delete('a');
      await w.advance(6);
      expect(await w.read('a')).toBeDefined();
      await w.advance(2);
      expect(await w.read('a')).toBeUndefined();
    });
  });

  describe('fields access', () => {
    it('should show live views of the object as it is being modified, also after destructuring', async () => {
      const seen: unknown[] = [];
      const w = await start({}, async ({ spec, labels, status, body, name, stopped }) => {
        while (!(await stopped.wait(10))) seen.push([name, spec.field, labels.l, status.s, body.spec?.field]);
      });
      await w.create('a');
      await w.advance(11);
      await w.patch('a', { spec: { field: 'v2' }, metadata: { labels: { l: 'x' } }, status: { s: 1 } });
      await w.advance(10);
      expect(seen).toEqual([
        ['a', 'v1', undefined, undefined, 'v1'],
        ['a', 'v2', 'x', 1, 'v2'],
      ]);
    });
  });

  describe('results delivery', () => {
    it('should put the returned values on the status', async () => {
      const w = await start({}, async ({ stopped }) => {
        await stopped.wait(10);
        return { finished: true };
      });
      await w.create('a');
      await w.advance(11);
      expect((await w.read('a'))?.status).toEqual({ d: { finished: true } });
    });

    it('should apply the patch after each attempt, with a fresh patch for the next one', async () => {
      const empty: boolean[] = [];
      const w = await start({}, ({ patch, retry }) => {
        empty.push(Object.keys(patch.status).length === 0);
        patch.status[`attempt${retry}`] = true;
        if (retry < 1) throw new TemporaryError('again', { delay: 10 });
      });
      await w.create('a');
      await w.advance(5);
      expect((await w.read('a'))?.status).toEqual({ attempt0: true });
      await w.advance(10);
      expect((await w.read('a'))?.status).toEqual({ attempt0: true, attempt1: true });
      expect(empty).toEqual([true, true]);
    });

    it('should send transformations again if the object has changed meanwhile', async () => {
      let conflicts = 0;
      const intercept: OperatorOptions['intercept'] = ({ method, body = '' }) =>
        method === 'PATCH' && body.includes('transformed') && conflicts++ === 0
          ? errorResponse(422, 'Invalid', 'the version is another one')
          : undefined;
      const body: Body = async ({ patch, stopped }) => {
        await stopped.wait(5);
        patch.transform((object) => (object.spec.transformed = [object.spec.field]));
      };
      const w = await start({}, body, { intercept });
      await w.create('a');
      await w.advance(5);
      await w.patch('a', { spec: { field: 'v2' } });
      await w.advance(5);
      expect(conflicts).toBe(2);
      expect((await w.read('a'))?.spec).toEqual({ field: 'v2', transformed: ['v2'] });
    });

    it('should go on, and say so, if a patch cannot be sent', async () => {
      const body: Body = ({ patch, retry }) => {
        patch.merge({ spec: { retry } });
        if (retry < 1) throw new TemporaryError('again', { delay: 10 });
      };
      const intercept: OperatorOptions['intercept'] = ({ body = '' }) => {
        if (body.includes('"retry":0')) throw new Error('broken');
        return undefined;
      };
      const w = await start({}, body, { intercept, networking: { errorBackoffs: [1] } });
      await w.create('a');
      await w.advance(60);
      expect(w.logger.messages('error').join()).toContain('The changes could not be sent');
      expect((await w.read('a'))?.spec).toEqual({ field: 'v1', retry: 1 });
    });
  });

  describe('filtering', () => {
    it('should ignore other objects of that kind', async () => {
      const names: string[] = [];
      const when = ({ name }: { name: string }): boolean => name.includes('some');
      const w = await start({ labels: { on: 'yes' }, when }, ({ name, stopped }) => (names.push(name), stopped.wait()));
      await w.create('some', { metadata: { labels: { on: 'yes' } } });
      await w.create('some-other');
      await w.create('none', { metadata: { labels: { on: 'yes' } } });
      await w.advance(1);
      expect(names).toEqual(['some']);
      expect((await w.read('none'))?.metadata.finalizers).toBeUndefined();
    });

    it('should be stopped once it stops matching, and spawned once it matches again', async () => {
      const log: (string | number)[] = [];
      const w = await start({ labels: { on: 'yes' } }, async ({ stopped }) => {
        log.push('began');
        await stopped.wait();
        log.push(stopped.reason);
      });
      await w.create('a', { metadata: { labels: { on: 'yes' } } });
      await w.advance(1);
      await w.patch('a', { metadata: { labels: { on: 'no' } } });
      await w.advance(1);
      expect(log).toEqual(['began', StopReason.FILTERS_MISMATCH]);
      expect((await w.read('a'))?.metadata.finalizers).toBeUndefined();
      await w.patch('a', { metadata: { labels: { on: 'yes' } } });
      await w.advance(1);
      expect(log).toEqual(['began', StopReason.FILTERS_MISMATCH, 'began']);
    });

    it('should be spawned again only after it has truly exited', async () => {
      const log: string[] = [];
      const w = await start({ labels: { on: 'yes' } }, async ({ stopped }) => {
        log.push('began');
        await stopped.wait();
        await new Promise<void>((resolve) => w.clock.setTimer(resolve, 10_000));
        log.push('ended');
      });
      await w.create('a', { metadata: { labels: { on: 'yes' } } });
      await w.advance(1);
      await w.patch('a', { metadata: { labels: { on: 'no' } } });
      await w.advance(1);
      await w.patch('a', { metadata: { labels: { on: 'yes' } } });
      await w.advance(5);
      expect(log).toEqual(['began']);
      await w.advance(10);
      await w.patch('a', { spec: { field: 'v2' } });
      await w.advance(1);
      expect(log).toEqual(['began', 'ended', 'began']);
    });
  });

  describe('vanished objects', () => {
    it('should stop the daemons of an object that was deleted while nobody watched', async () => {
      let reason = 0;
      const w = await start({}, async ({ stopped }) => {
        await stopped.wait();
        reason = stopped.reason;
      });
      await w.create('a');
      await w.advance(1);
      await w.patch('a', { metadata: { finalizers: null } });
      await w.delete('a');
      await w.advance(5);
      expect(reason).toBe(StopReason.RESOURCE_DELETED);
      expect(countDaemons(w)).toBe(0);
    });
  });

  it('should be started again when the operator is stopped and started in the same process', async () => {
    const reasons: number[] = [];
    const w = await start({}, async ({ stopped }) => {
      await stopped.wait();
      reasons.push(stopped.reason);
    });
    await w.create('a');
    await w.advance(1);
    const operator = w.get(KopfOperator);
    await w.clock.runUntil(operator.stop());
    expect([reasons, operator.daemons]).toEqual([[StopReason.OPERATOR_EXITING], 0]);
    await w.clock.runUntil(operator.start());
    await w.clock.runUntil(operator.ready());
    await w.advance(1);
    expect(operator.daemons).toBe(1);
  });

  it('should share the memo with the other handlers of the object', async () => {
    let seen = 0;
    class Operator {
      @OnEvent(...KEX)
      event({ memo }: EventContext) {
        memo.events = ((memo.events as number | undefined) ?? 0) + 1;
      }
      @Daemon(...KEX)
      async watch({ memo, stopped }: DaemonContext) {
        await stopped.wait(10);
        seen = memo.events as number;
      }
    }
    const w = await OperatorHarness.start();
    await w.run(Operator);
    await w.create('a');
    await w.advance(11);
    expect(seen).toBeGreaterThanOrEqual(1);
  });
});
