import {
  KubeClient,
  OnCreate,
  OnEvent,
  OnField,
  OnUpdate,
  stringifyJson,
  type ChangeContext,
  type EventContext,
  type KubeObject,
} from 'nestjs-kopf';
import { eventually } from '../../support/time/eventually.js';
import { LocalOperator } from '../../support/operators/local.operator.js';
import { isHandled } from '../../support/operators/stored.progress.js';
import { MERGE_PATCH, NUMBERS, NumbersCluster, OBJECTS } from './numbers.cluster.js';
import type { TestCluster } from '../test.cluster.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

/** Declares the tests of operators with integers that JavaScript's numbers cannot hold. */
export function describeIntegers(title: string, startCluster: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: NumbersCluster;
    let running: LocalOperator | undefined;

    beforeAll(async () => {
      cluster = await NumbersCluster.start(startCluster);
    }, 120_000);

    afterEach(async () => {
      await running?.stop();
      running = undefined;
      await cluster.clear();
    });

    afterAll(() => cluster?.stop());

    async function start(handlers: new () => object): Promise<LocalOperator> {
      running = await LocalOperator.start(handlers, { credentials: cluster.credentials });
      await running.ready();
      return running;
    }

    function handled(name: string, field: string): Promise<KubeObject> {
      return eventually(`${name} is handled`, async () => {
        const object = await cluster.get(name);
        return object?.status?.[field] !== undefined && isHandled(object) && object;
      });
    }

    it('should show, compare, store, and write integers to the digit', async () => {
      const seen: unknown[] = [];
      class Operator {
        @OnCreate(NUMBERS)
        create({ spec, patch }: ChangeContext) {
          seen.push(spec.int64, spec.list);
          patch.status.copy = spec.int64;
          patch.transform((body) => body.spec!.list.push(spec.int64 + 1n));
          return { id: spec.int64, next: spec.int64 + 1n };
        }

        @OnUpdate(NUMBERS)
        update({ diff, old, new: present }: ChangeContext) {
          seen.push(diff, old?.spec.int64, present?.spec.int64);
          return 'updated';
        }

        @OnField(NUMBERS, { field: 'spec.int64', value: 9007199254740995n })
        one({ old, new: present }: ChangeContext) {
          seen.push(['one', old, present]);
        }

        @OnEvent(NUMBERS, { field: 'spec.int64', value: 9007199254740995n })
        event({ spec, patch }: EventContext) {
          patch.status.seen = spec.int64;
        }
      }
      const operator = await start(Operator);
      await cluster.create('a', '{"int64":9007199254740993,"list":[9007199254740993,1.5,0.00001]}');
      const created = await handled('a', 'create');
      expect(seen.slice(0, 2)).toEqual([9007199254740993n, [9007199254740993n, 1.5, 0.00001]]);
      expect(created.status).toMatchObject({
        copy: 9007199254740993n,
        create: { id: 9007199254740993n, next: 9007199254740994n },
      });
      // As Python's Kopf writes it: see the handover between both.
      const stored = (): Promise<string | undefined> =>
        cluster.get('a').then((object) => object?.metadata.annotations?.[LAST_HANDLED]);
      const spec = (id: string): string =>
        `{"spec":{"given":9007199254740993,"int64":${id},"list":[9007199254740993,1.5,1e-05,9007199254740994]}}\n`;
      await eventually('the transformed list is stored', async () => (await stored()) === spec('9007199254740993'));
      expect(await cluster.specOf('a')).toBe(
        '{"int64":9007199254740993,"list":[9007199254740993,1.5,0.00001,9007199254740994]}',
      );
      seen.splice(0);

      await cluster.send(
        'PATCH',
        `${OBJECTS}/a`,
        '{"status":{"update":null},"spec":{"int64":9007199254740992}}',
        MERGE_PATCH,
      );
      await handled('a', 'update');
      expect(seen.splice(0)).toEqual([
        [['change', ['spec', 'int64'], 9007199254740993n, 9007199254740992n]],
        9007199254740993n,
        9007199254740992n,
      ]);
      expect(await stored()).toBe(spec('9007199254740992'));

      await cluster.send('PATCH', `${OBJECTS}/a`, '{"spec":{"int64":9007199254740995}}', MERGE_PATCH);
      await eventually('the field has its value', () => seen.some((item) => Array.isArray(item) && item[0] === 'one'));
      expect(seen).toContainEqual(['one', 9007199254740992n, 9007199254740995n]);
      const last = await handled('a', 'seen');
      expect(last.status?.seen).toBe(9007199254740995n);
      expect(operator.logger.messages('warn')).toEqual([]);
      expect(operator.logger.messages('error')).toEqual([]);
    });

    it('should read and write them with the client', async () => {
      class Operator {
        @OnEvent(NUMBERS)
        event(): void {}
      }
      const client = (await start(Operator)).get(KubeClient);
      const object = await client.create({
        apiVersion: 'numbers.kopf.dev/v1',
        kind: 'Number',
        metadata: { name: 'c', namespace: 'default' },
        spec: { int64: 9007199254740993n, small: 5n },
      });
      expect(object.spec).toEqual({ given: 9007199254740993n, int64: 9007199254740993n, small: 5 });
      await client.replace(object);
      const patched = await client.patch(
        NUMBERS,
        'c',
        { spec: { int64: 9007199254740995n } },
        { namespace: 'default' },
      );
      expect(stringifyJson(patched.spec)).toBe('{"given":9007199254740993,"int64":9007199254740995,"small":5}');
      const { items } = await client.list(NUMBERS, { namespace: 'default' });
      expect(items[0].spec).toEqual(patched.spec);
      const applied = await client.apply(
        {
          apiVersion: object.apiVersion,
          kind: object.kind,
          metadata: { name: 'c', namespace: 'default' },
          spec: { other: -(2n ** 63n) },
        },
        { fieldManager: 'test' },
      );
      expect((applied.spec as Record<string, unknown>).other).toBe(-(2n ** 63n));
    });
  });
}
