import {
  ABSENT,
  adopt,
  Daemon,
  PermanentError,
  StopReason,
  type DaemonContext,
  type KubeObject,
  type OperatorState,
} from 'nestjs-kopf';
import type { DaemonOptions } from 'nestjs-kopf/decorators';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

type Body = (context: DaemonContext) => unknown;

describe('The lifetime of daemons', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  function daemon(body: Body, options: DaemonOptions = {}) {
    class Operator {
      @Daemon(...KEX, { id: 'd', ...options })
      run(context: DaemonContext) {
        return body(context);
      }
    }
    return Operator;
  }

  it.each<[string, Body]>([
    ['has returned', () => undefined],
    [
      'has failed for good',
      () => {
        throw new PermanentError('Bye-bye!');
      },
    ],
  ])('should begin again with each process of the operator, even if it %s', async (_what, body) => {
    let starts = 0;
    const operator = daemon((context) => (starts++, body(context)));
    await harness.create('a');
    for (const expected of [1, 2, 3]) {
      await harness.run(operator);
      await harness.advance(10);
      await harness.patch('a', { spec: { run: expected } });
      await harness.advance(3600);
      expect(starts).toBe(expected);
      await harness.stop();
    }
  });

  it('should be ended for ever by a mark on the object and a filter on it', async () => {
    let starts = 0;
    const operator = daemon(
      ({ patch }) => {
        starts++;
        patch.metadata.annotations.done = 'yes';
      },
      { annotations: { done: ABSENT } },
    );
    await harness.create('a');
    for (let run = 0; run < 3; run++) {
      await harness.run(operator);
      await harness.advance(10);
      await harness.stop();
    }
    expect(starts).toBe(1);
    expect((await harness.object('a')).metadata.finalizers).toBeUndefined();
  });

  it('should be matched against the filters with each event of the object, and not without any', async () => {
    let isWanted = true;
    const log: string[] = [];
    await harness.run(
      daemon(
        async ({ stopped }) => {
          log.push('began');
          await stopped.wait();
          log.push('ended');
        },
        { when: () => isWanted },
      ),
    );
    await harness.create('a');
    await harness.advance(10);
    isWanted = false;
    await harness.advance(3600);
    expect(log).toEqual(['began']);
    await harness.patch('a', { status: { touched: 1 } });
    await harness.advance(1);
    expect(log).toEqual(['began', 'ended']);
    isWanted = true;
    await harness.advance(3600);
    expect(log).toEqual(['began', 'ended']);
    await harness.patch('a', { status: { touched: 2 } });
    await harness.advance(1);
    expect(log).toEqual(['began', 'ended', 'began']);
  });

  it('should hold the object until the last of its daemons has exited, each in its own time', async () => {
    const ended: string[] = [];
    const endAfter = async ({ stopped }: DaemonContext, name: string, seconds: number): Promise<void> => {
      await stopped.wait();
      await new Promise<void>((resolve) => void harness.clock.setTimer(resolve, seconds * 1000));
      ended.push(name);
    };
    class Operator {
      @Daemon(...KEX)
      quick(context: DaemonContext) {
        return endAfter(context, 'quick', 1);
      }
      @Daemon(...KEX)
      slow(context: DaemonContext) {
        return endAfter(context, 'slow', 20);
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(10);
    expect([ended, (await harness.read('a'))?.metadata.finalizers?.length]).toEqual([['quick'], 1]);
    await harness.advance(11);
    expect([ended, await harness.read('a')]).toEqual([['quick', 'slow'], undefined]);
  });

  it('should be interrupted by a pause of the operator, and go on with another run when it is over', async () => {
    const log: unknown[] = [];
    const operator = await harness.run(
      daemon(async ({ stopped }) => {
        log.push('began');
        await stopped.wait();
        log.push(stopped.reason);
      }),
    );
    await harness.create('a');
    await harness.advance(1);
    operator.pause();
    await harness.advance(60);
    expect([operator.state satisfies OperatorState, log]).toEqual(['paused', ['began', StopReason.OPERATOR_PAUSING]]);
    expect((await harness.object('a')).metadata.finalizers).toHaveLength(1);
    operator.resume();
    await harness.advance(1);
    expect(log).toEqual(['began', StopReason.OPERATOR_PAUSING, 'began']);
  });

  it('should remember what it has read, but read what is new', async () => {
    const seen: unknown[] = [];
    await harness.run(
      daemon(async ({ spec, stopped }) => {
        const { field } = spec;
        const { deep } = spec;
        while (!(await stopped.wait(10))) seen.push([field, deep.value, spec.field, spec.deep.value]);
      }),
    );
    await harness.create('a', { spec: { field: 'v1', deep: { value: 1 } } });
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2', deep: { value: 2 } } });
    await harness.advance(6);
    expect(seen).toEqual([['v1', 1, 'v2', 2]]);
  });

  it('should own what it makes, and report about its object, as they are at that time', async () => {
    const made: KubeObject[] = [];
    await harness.run(
      daemon(async ({ name, namespace, uid, stopped, info }) => {
        await stopped.wait(10);
        const child: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} };
        adopt(child);
        made.push(child, { metadata: { name, namespace, uid } });
        info({ reason: 'Made', message: 'It is made.' });
      }),
    );
    const { metadata } = await harness.create('a', { metadata: { labels: { team: 'old' } }, spec: {} });
    await harness.advance(5);
    await harness.patch('a', { metadata: { labels: { team: 'new' } } });
    await harness.advance(10);
    const { uid } = metadata;
    expect(made[0].metadata).toMatchObject({ namespace: 'ns', labels: { team: 'new' }, ownerReferences: [{ uid }] });
    expect(made[1].metadata).toEqual({ name: 'a', namespace: 'ns', uid });
    const [event] = await harness.events();
    expect(event).toMatchObject({
      reason: 'Made',
      involvedObject: { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', name: 'a', namespace: 'ns', uid },
    });
  });
});
