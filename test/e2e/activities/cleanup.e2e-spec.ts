import {
  Daemon,
  KopfSettings,
  KubeClient,
  OnCleanup,
  OnEvent,
  OnStartup,
  PermanentError,
  type ActivityContext,
  type DaemonContext,
  type KopfOperator,
} from 'nestjs-kopf';
import { Injectable } from '@nestjs/common';
import { Calls } from '../../support/operators/calls.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

describe('Cleanup handlers', () => {
  let harness: OperatorHarness;
  let calls: Calls;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
    calls = new Calls();
  });

  const sleep = (seconds: number): Promise<void> =>
    new Promise((resolve) => void harness.clock.setTimer(resolve, seconds * 1000));

  function makeOperator(startup: (context: ActivityContext) => unknown = () => undefined) {
    class Operator {
      @OnStartup()
      begin(context: ActivityContext) {
        return startup(context);
      }
      @OnEvent(...KEX)
      event() {}
      @OnCleanup()
      end(context: ActivityContext) {
        calls.add('cleanup', context);
      }
    }
    return Operator;
  }

  it.each<[string, (operator: KopfOperator) => Promise<void>]>([
    ['when the application is closed', () => harness.stop()],
    ['when it is told to stop', (operator) => harness.clock.runUntil(operator.stop())],
  ])('should be called when the operator exits: %s', async (_what, exit) => {
    const operator = await harness.run(makeOperator());
    expect(calls.ids).toEqual([]);
    await exit(operator);
    expect([operator.state, calls.ids]).toEqual(['stopped', ['cleanup']]);
  });

  it('should be called once, although the operator is stopped and then the application is closed', async () => {
    const operator = await harness.run(makeOperator());
    await harness.clock.runUntil(operator.stop());
    await harness.stop(operator);
    expect(calls.ids).toEqual(['cleanup']);
  });

  it('should be called when the operator exits because something has failed for good', async () => {
    harness.kube.faults.reject(401, { times: Infinity });
    const operator = await harness.run(makeOperator(), { unready: true });
    await harness.advance(10);
    expect(operator.state).toBe('failed');
    await harness.stop(operator);
    expect(calls.ids).toEqual(['cleanup']);
  });

  it('should be called after a failed startup, too: other startup handlers may have opened something', async () => {
    const failing = makeOperator(() => {
      throw new PermanentError('no licence');
    });
    const operator = await harness.run(failing, { enabled: false, unready: true });
    await expect(harness.clock.runUntil(operator.start())).rejects.toThrow('no licence');
    await harness.stop(operator);
    expect(calls.ids).toEqual(['cleanup']);
  });

  it('should not be called for an operator that was never started', async () => {
    const operator = await harness.run(makeOperator(), { enabled: false, unready: true });
    await harness.stop(operator);
    expect(calls.ids).toEqual([]);
  });

  it('should not be called if the process is killed with no possibility to react', async () => {
    const operator = await harness.run(makeOperator());
    harness.kill(operator);
    await harness.advance(3600);
    expect(calls.ids).toEqual([]);
  });

  it('should be called when daemons have exited and nothing is handled any more', async () => {
    const order: string[] = [];
    class Operator {
      @Daemon(...KEX)
      async run({ stopped }: DaemonContext) {
        await stopped.wait();
        await sleep(3);
        order.push('daemon');
      }
      @OnEvent(...KEX)
      event() {
        order.push('event');
      }
      @OnCleanup()
      async end() {
        order.push('cleanup');
        await harness.patch('a', { spec: { field: 'v2' } });
        await sleep(5);
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    order.length = 0;
    await harness.stop();
    expect(order).toEqual(['daemon', 'cleanup']);
  });

  it('should still reach the cluster, the memo, and what is injected', async () => {
    @Injectable()
    class Operator {
      constructor(private readonly client: KubeClient) {}

      @OnStartup()
      begin({ memo }: ActivityContext) {
        memo.count = 3;
      }
      @OnCleanup()
      async end({ memo }: ActivityContext) {
        await this.client.patch('kopfexamples.kopf.dev', 'a', { spec: { count: memo.count } }, { namespace: 'ns' });
      }
    }
    await harness.create('a');
    await harness.run(Operator);
    await harness.stop();
    expect((await harness.object('a')).spec).toMatchObject({ count: 3 });
  });

  it('should be retried like others, each on its own', async () => {
    class Operator {
      @OnCleanup({ backoff: 10 })
      stubborn(context: ActivityContext) {
        calls.add('stubborn', context);
        if (context.retry < 2) throw new Error('not yet');
      }
      @OnCleanup()
      quick(context: ActivityContext) {
        calls.add('quick', context);
      }
    }
    await harness.run(Operator);
    const before = harness.clock.now();
    await harness.stop();
    expect(calls.all.map(({ id, retry }) => `${id} ${retry}`)).toEqual([
      'stubborn 0',
      'quick 0',
      'stubborn 1',
      'stubborn 2',
    ]);
    expect((harness.clock.now() - before) / 1000).toBeCloseTo(20, 0);
  });

  it('should not be finished in full if they take too long: their signals are aborted, and the operator stops', async () => {
    let aborted = 0;
    class Operator {
      @OnCleanup()
      hang({ signal }: ActivityContext) {
        signal.addEventListener('abort', () => aborted++);
        return new Promise(() => undefined);
      }
    }
    await harness.run(Operator);
    harness.get(KopfSettings).process.ultimateExitingTimeout = 25;
    const before = harness.clock.now();
    await harness.stop();
    expect([aborted, Math.round((harness.clock.now() - before) / 1000)]).toEqual([1, 25]);
    expect(harness.logger.messages('warn').join()).toContain('The cleanup handlers are not waited for any longer');
  });
});
