import {
  Daemon,
  KopfOperator,
  OnDelete,
  OnEvent,
  type DaemonContext,
  type EventContext,
  type KopfModuleOptions,
  type KubeObject,
  type ObjectSelection,
} from 'nestjs-kopf';
import { customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import { LocalOperator } from '../../support/operators/local.operator.js';
import type { TestCluster } from '../test.cluster.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

const LABELLED: Readonly<Record<string, Record<string, string>>> = {
  none: {},
  empty: { app: '' },
  web: { app: 'web' },
  'web-5': { app: 'web', level: '5' },
  'web-17': { app: 'web', level: '17', 'x.io/legacy': '' },
  db: { app: 'db' },
};

/** Selectors, and the names of the objects that they are for. */
const SELECTIONS: [selector: ObjectSelection, names: string[]][] = [
  [{ labels: 'app' }, ['db', 'empty', 'web', 'web-17', 'web-5']],
  [{ labels: '!app' }, ['none']],
  [{ labels: 'app=' }, ['empty']],
  [{ labels: 'app==web,!level' }, ['web']],
  [{ labels: 'app!=web' }, ['db', 'empty', 'none']],
  [{ labels: 'app in (web,db), !x.io/legacy' }, ['db', 'web', 'web-5']],
  [{ labels: 'app notin (web,)' }, ['db', 'none']],
  [{ labels: 'level > 5' }, ['web-17']],
  [{ labels: { matchLabels: { app: 'web' } } }, ['web', 'web-17', 'web-5']],
  [{ labels: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['db', 'web'] }] } }, ['empty', 'none']],
  [{ labels: { matchExpressions: [{ key: 'level', operator: 'DoesNotExist' }] } }, ['db', 'empty', 'none', 'web']],
  [{ labels: 'app', fields: 'metadata.name!=db' }, ['empty', 'web', 'web-17', 'web-5']],
  [{ fields: { 'metadata.name': 'web', 'metadata.namespace': 'default' } }, ['web']],
];

/** Which objects operators serve, by labels and fields, as they come into the selection and leave it, on any cluster. */
export function describeObjectSelection(title: string, startCluster: () => Promise<TestCluster>): void {
  describe(title, () => {
    const running = new Set<LocalOperator>();
    let cluster: TestCluster;
    let calls: string[];

    class Handlers {
      @Daemon('kopfexamples', { selector: { labels: 'app=web' } })
      async run({ name, stopped }: DaemonContext) {
        calls.push(`start ${name}`);
        await stopped.wait();
        calls.push(`stop ${name}`);
      }

      @OnDelete('kopfexamples', { selector: { labels: 'app=web' } })
      delete({ name }: { name: string }) {
        calls.push(`delete ${name}`);
      }

      @OnEvent('kopfexamples', { selector: { labels: 'app=web' } })
      event({ name, type }: EventContext) {
        if (type === 'DELETED') calls.push(`DELETED ${name}`);
      }
    }

    beforeAll(async () => {
      cluster = await startCluster();
      await cluster.user.create(DEFINITIONS, customResource());
      await eventually('it is served', () => cluster.user.get('/apis/kopf.dev/v1/kopfexamples').catch(() => undefined));
    }, 120_000);

    beforeEach(() => (calls = []));

    afterEach(async () => {
      await Promise.all([...running].map((operator) => operator.stop()));
      running.clear();
    });

    afterAll(() => cluster?.stop());

    async function start(handlers: new () => unknown, options: KopfModuleOptions = {}): Promise<LocalOperator> {
      const operator = await LocalOperator.start(handlers, {
        credentials: cluster.credentials,
        namespaces: 'default',
        ...options,
      });
      running.add(operator);
      await operator.ready();
      return operator;
    }

    async function stop(operator: LocalOperator): Promise<void> {
      running.delete(operator);
      await operator.stop();
    }

    const create = (name: string, app: string): Promise<KubeObject> =>
      cluster.user.create(OBJECTS, {
        apiVersion: 'kopf.dev/v1',
        kind: 'KopfExample',
        metadata: { name, labels: { app } },
      });
    const label = (name: string, app: string): Promise<KubeObject> =>
      cluster.user.patch(`${OBJECTS}/${name}`, { metadata: { labels: { app } } });
    const isHeld = async (name: string): Promise<boolean> =>
      (await cluster.user.get(`${OBJECTS}/${name}`))?.metadata.finalizers !== undefined;

    it('should be those that the API server selects, whether it is asked to or not', async () => {
      for (const [name, labels] of Object.entries(LABELLED)) {
        await cluster.user.create(CONFIG_MAPS, { metadata: { name, labels } });
      }
      for (const [selector, expected] of SELECTIONS) {
        const seen = { server: new Set<string>(), operator: new Set<string>() };
        class Selected {
          @OnEvent('configmaps', { selector })
          see({ name }: EventContext) {
            seen.server.add(name);
          }
        }
        class Both {
          @OnEvent('configmaps', { selector })
          see({ name }: EventContext) {
            seen.operator.add(name);
          }

          @OnEvent('configmaps')
          seeAll() {}
        }
        const operators = await Promise.all([start(Selected), start(Both)]);
        await eventually(
          'all were seen',
          () => seen.server.size >= expected.length && seen.operator.size >= expected.length,
        );
        await Promise.all(operators.map(stop));
        const known = (names: Set<string>): string[] => [...names].filter((name) => name in LABELLED).sort();
        expect([selector, known(seen.server), known(seen.operator)]).toEqual([selector, expected, expected]);
      }
    });

    it('should be let go when they leave the selection, and served again when they come back', async () => {
      const operator = await start(Handlers);
      await create('a', 'web');
      await create('b', 'db');
      await eventually('it is served', () => calls.length > 0 && isHeld('a'));
      expect(calls.splice(0)).toEqual(['start a']);
      expect(operator.get(KopfOperator).objects).toBe(1);
      await label('a', 'db');
      await eventually('it is let go', async () => !(await isHeld('a')) && operator.get(KopfOperator).objects === 0);
      expect(calls.splice(0)).toEqual(['stop a']);
      await label('a', 'web');
      await eventually('it is served again', () => calls.length > 0 && isHeld('a'));
      expect(calls.splice(0)).toEqual(['start a']);
      await cluster.user.delete(`${OBJECTS}/a`);
      await eventually('it has gone', () => calls.includes('DELETED a'));
      expect(calls.splice(0).sort()).toEqual(['DELETED a', 'delete a', 'stop a']);
      await cluster.user.delete(`${OBJECTS}/b`);
      expect(operator.logger.messages('warn', 'error')).toEqual([]);
    });

    it('should not be blocked if they have left while they were being deleted, or while the operator was away', async () => {
      const operator = await start(Handlers);
      for (const name of ['away', 'away-deleted']) await create(name, 'web');
      await eventually('they are held', async () => (await isHeld('away')) && (await isHeld('away-deleted')));
      await stop(operator);
      for (const name of ['away', 'away-deleted']) await label(name, 'db');
      await cluster.user.delete(`${OBJECTS}/away-deleted`);
      expect(await isHeld('away-deleted')).toBe(true);
      calls.length = 0;
      const next = await start(Handlers, { watching: { pageSize: 1 } });
      await eventually('it is let go', async () => !(await isHeld('away')));
      await eventually('it goes', async () => !(await cluster.user.get(`${OBJECTS}/away-deleted`)));
      expect(calls).toEqual([]);
      expect(next.logger.messages('warn', 'error')).toEqual([]);
      await cluster.user.delete(`${OBJECTS}/away`);
    });

    it('should be selected by what fields mean to the server', async () => {
      class Nodes {
        @OnEvent('nodes', { selector: { fields: { 'spec.unschedulable': 'false' } } })
        event({ name, type }: EventContext) {
          if (name.startsWith('selected')) calls.push(`${type} ${name}`);
        }
      }
      const operator = await start(Nodes);
      await cluster.user.create('/api/v1/nodes', { metadata: { name: 'selected-not' }, spec: { unschedulable: true } });
      await cluster.user.create('/api/v1/nodes', { metadata: { name: 'selected' } });
      await eventually('it is seen', () => calls.includes('ADDED selected'));
      await cluster.user.patch('/api/v1/nodes/selected', { spec: { unschedulable: true } });
      await eventually('it is let go', () => operator.get(KopfOperator).objects === 0);
      await cluster.user.patch('/api/v1/nodes/selected', { spec: { unschedulable: null } });
      await eventually('it comes back', () => operator.get(KopfOperator).objects === 1);
      await cluster.user.delete('/api/v1/nodes/selected');
      await eventually('it has gone', () => calls.includes('DELETED selected'));
      expect(calls.filter((call) => call.includes('selected-not') || call.startsWith('DELETED'))).toEqual([
        'DELETED selected',
      ]);
    });
  });
}
