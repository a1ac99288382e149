import { Injectable } from '@nestjs/common';
import {
  adopt,
  Daemon,
  KubeClient,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnUpdate,
  PRESENT,
  Timer,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
  type KubeObject,
  type TimerContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';

const EXAMPLES = 'kopfexamples.kopf.dev';
const PODS = '/api/v1/namespaces/ns/pods';

describe('Reconciliation', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  it('should react to every creation, change, and deletion, with the state of now and the difference from what was handled', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ spec }: ChangeContext) {
        seen.push(['create', spec.field]);
      }
      @OnUpdate(...KEX)
      update({ spec, diff }: ChangeContext) {
        seen.push(['update', spec.field, [...diff]]);
      }
      @OnDelete(...KEX)
      delete({ spec }: ChangeContext) {
        seen.push(['delete', spec.field]);
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(1);
    expect(seen).toEqual([
      ['create', 'v1'],
      ['update', 'v2', [['change', ['spec', 'field'], 'v1', 'v2']]],
      ['delete', 'v2'],
    ]);
  });

  it('should take nothing while nothing changes: no calls, and no requests but those that keep the watch', async () => {
    let calls = 0;
    const requests: string[] = [];
    class Operator {
      @OnEvent(...KEX)
      event() {
        calls++;
      }
      @OnUpdate(...KEX)
      update() {
        calls++;
      }
    }
    await harness.create('a');
    const intercept: OperatorOptions['intercept'] = ({ path }) => {
      if (path.includes('kopfexamples')) requests.push(path);
      return undefined;
    };
    await harness.run(Operator, { intercept });
    await harness.advance(10);
    expect(calls).toBe(2);
    requests.length = 0;
    await harness.advance(86_400);
    expect([calls, requests.filter((path) => !path.includes('watch=true'))]).toEqual([2, []]);
  });

  it('should verify the state on a schedule, no matter if anything changes, and bring it back', async () => {
    const desired = 3;
    let actual = 0;
    class Operator {
      @Timer(...KEX, { interval: 10 })
      verify({ patch }: TimerContext) {
        actual = desired;
        patch.status.actual = actual;
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    expect([actual, (await harness.object('a')).status]).toEqual([3, { actual: 3 }]);
    // Nobody is told that something has drifted.
    actual = 1;
    await harness.advance(9.5);
    expect(actual).toBe(3);
  });

  it('should follow what blocks until it changes, and react as soon as it does', async () => {
    let change: (state: string) => void = () => undefined;
    const query = (signal: AbortSignal): Promise<string> =>
      new Promise((resolve, reject) => {
        change = resolve;
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    @Injectable()
    class Operator {
      constructor(private readonly client: KubeClient) {}

      @Daemon(...KEX)
      async follow({ stopped, signal, name, namespace }: DaemonContext) {
        while (!stopped.isSet) {
          const state = await query(signal);
          await this.client.patch(EXAMPLES, name, { status: { state } }, { namespace });
        }
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    for (const state of ['started', 'done']) {
      await harness.advance(3600);
      change(state);
      await harness.advance(0.1);
      expect((await harness.object('a')).status).toEqual({ state });
    }
    await harness.delete('a');
    await harness.advance(1);
    expect(await harness.read('a')).toBeUndefined();
    expect(harness.logger.messages('error')).toEqual([]);
  });

  it('should have children tell their parent, whose handlers react to the field with what they have told', async () => {
    const seen: unknown[] = [];
    @Injectable()
    class Operator {
      constructor(private readonly client: KubeClient) {}

      @OnCreate(...KEX)
      async create({ spec }: ChangeContext) {
        for (let index = 0; index < spec.children; index++) {
          const child: KubeObject = {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: `child-${index}`, labels: { parent: 'a' } },
            spec: { containers: [{ name: 'main', image: 'image' }] },
          };
          await this.client.create(adopt(child));
        }
      }
      @OnEvent('pods.v1', { labels: { parent: PRESENT } })
      async tell({ name, namespace, labels, status }: EventContext<any, any>) {
        const patch = { status: { children: { [name]: status.phase } } };
        await this.client.patch(EXAMPLES, labels.parent, patch, { namespace });
      }
      @OnField(...KEX, { field: 'status.children' })
      sum({ new: children = {}, patch }: ChangeContext) {
        const phases = Object.values((children ?? {}) as Record<string, string>);
        const running = phases.filter((phase) => phase === 'Running').length;
        seen.push(running);
        patch.status.running = running;
      }
    }
    await harness.run(Operator);
    await harness.create('a', { spec: { children: 2 } });
    await harness.advance(5);
    for (const child of ['child-0', 'child-1']) {
      await harness.send('PATCH', `${PODS}/${child}/status`, { status: { phase: 'Running' } });
      await harness.advance(5);
    }
    expect((await harness.object('a')).status).toMatchObject({
      children: { 'child-0': 'Running', 'child-1': 'Running' },
      running: 2,
    });
    expect(seen.slice(-2)).toEqual([1, 2]);
  });
});
