import { LoginError, type KopfModuleOptions, type KubeObject } from 'nestjs-kopf';
import { customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import { LocalOperator } from '../../support/operators/local.operator.js';
import { isHandled, storedProgress } from '../../support/operators/stored.progress.js';
import { makeExampleOperator } from './example.operator.js';
import { RecordedCalls } from './recorded.calls.js';
import type { TestCluster } from '../test.cluster.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const EVENTS = '/api/v1/namespaces/default/events';
const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';

/** Declares the tests of an operator on any cluster, in real time and over HTTPS. */
export function describeOperator(title: string, startCluster: () => Promise<TestCluster>): void {
  describe(title, () => {
    const calls = new RecordedCalls();
    const definition = customResource({ statusSubresource: true });
    const definitionPath = `${DEFINITIONS}/${definition.metadata.name}`;
    const running = new Set<LocalOperator>();
    let cluster: TestCluster;

    beforeAll(async () => {
      cluster = await startCluster();
      await define();
    }, 120_000);

    beforeEach(() => calls.clear());

    afterEach(async () => {
      await Promise.all([...running].map(stop));
      for (const { metadata } of await list()) {
        await cluster.user.patch(`${OBJECTS}/${metadata.name}`, { metadata: { finalizers: null } });
        await cluster.user.delete(`${OBJECTS}/${metadata.name}`);
      }
    });

    afterAll(() => cluster?.stop());

    async function define(): Promise<void> {
      await cluster.user.create(DEFINITIONS, definition);
      await eventually('the resource is served', () => list().then(Boolean, () => false));
    }

    async function undefine(): Promise<void> {
      await cluster.user.delete(definitionPath);
      await eventually('the definition has gone', async () => !(await cluster.user.get(definitionPath)));
    }

    async function list(): Promise<readonly KubeObject[]> {
      return cluster.user.list(OBJECTS);
    }

    async function start(options: Partial<KopfModuleOptions> = {}): Promise<LocalOperator> {
      const { credentials } = cluster;
      const operator = await LocalOperator.start(makeExampleOperator(calls), { credentials, ...options });
      running.add(operator);
      return operator;
    }

    async function stop(operator: LocalOperator): Promise<void> {
      running.delete(operator);
      await operator.stop();
    }

    function create(name: string, spec: object = { field: 'v1' }, metadata: object = {}): Promise<KubeObject> {
      const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name, ...metadata }, spec };
      return cluster.user.create(OBJECTS, body);
    }

    function patch(name: string, body: object): Promise<KubeObject> {
      return cluster.user.patch(`${OBJECTS}/${name}`, body);
    }

    function handled(name: string): Promise<KubeObject> {
      return eventually(`${name} is handled`, async () => {
        const object = await cluster.user.get(`${OBJECTS}/${name}`);
        return object && isHandled(object) && object;
      });
    }

    /** Results come with a request of their own, after what says that the object is handled. */
    function withResult(name: string, handler: string): Promise<KubeObject> {
      return eventually(`${name} has the result of ${handler}`, async () => {
        const object = await handled(name);
        return object.status?.[handler] !== undefined && object;
      });
    }

    async function remove(name: string): Promise<void> {
      await cluster.user.delete(`${OBJECTS}/${name}`);
      await gone(name);
    }

    async function gone(name: string): Promise<void> {
      await eventually(`${name} has gone`, async () => !(await cluster.user.get(`${OBJECTS}/${name}`)));
    }

    it('should handle a creation with retries and sub-handlers', async () => {
      const operator = await start();
      await operator.ready();
      await create('a');
      await Promise.all(['create', 'parts/left', 'parts/right'].map((handler) => withResult('a', handler)));
      const { metadata, status } = await handled('a');
      expect(status).toEqual({ create: { retries: 1 }, 'parts/left': 'left', 'parts/right': 'right' });
      expect(metadata.finalizers).toEqual([FINALIZER]);
      const counts = (handler: string): number => calls.of('a').filter((call) => call.handler === handler).length;
      expect(['create', 'parts/left', 'parts/right'].map(counts)).toEqual([2, 1, 2]);
      expect(calls.of('a').every(({ reason }) => reason === 'create')).toBe(true);
    });

    it('should post events to the object', async () => {
      await start();
      const { metadata } = await create('a');
      const event = await eventually('the event is there', async () => {
        const events = (await cluster.user.list(EVENTS)) as (KubeObject & Record<string, any>)[];
        return events.find(({ reason, involvedObject }) => reason === 'Created' && involvedObject.uid === metadata.uid);
      });
      expect(event).toMatchObject({ type: 'Normal', message: 'Hello, a.', source: { component: 'kopf' } });
    });

    it('should not repeat what has failed for good', async () => {
      const operator = await start();
      await create('a', { field: 'v1' }, { annotations: { refuse: 'yes' } });
      await handled('a');
      expect(calls.handlers('a').filter((handler) => handler === 'refuse')).toHaveLength(1);
      expect(operator.logger.messages('error').join()).toContain('This one is refused.');
    });

    it('should handle updates by their differences', async () => {
      await start();
      await create('a', { field: 'v1', other: 1 }, { labels: { x: '1' } });
      await handled('a');
      calls.clear();
      await patch('a', { spec: { field: 'v2', other: null }, metadata: { labels: { x: null, y: '2' } } });
      const { status } = await withResult('a', 'update');
      expect(status?.update).toBe('v2');
      expect(calls.handlers('a').toSorted()).toEqual(['relabel', 'update', 'update']);
      const [update] = calls.of('a').filter(({ handler }) => handler === 'update');
      expect(update.diff).toEqual(
        expect.arrayContaining([
          ['change', ['spec', 'field'], 'v1', 'v2'],
          ['remove', ['spec', 'other'], 1, null],
        ]),
      );
      const [relabel] = calls.of('a').filter(({ handler }) => handler === 'relabel');
      expect(relabel).toMatchObject({ old: { x: '1' }, new: { y: '2' } });
      expect(relabel.diff).toHaveLength(2);
    });

    it('should hold an object until its deletion is handled', async () => {
      await start();
      await create('a');
      await handled('a');
      calls.clear();
      await remove('a');
      expect(calls.of('a').map(({ handler, reason, retry }) => [handler, reason, retry])).toEqual([
        ['delete', 'delete', 0],
        ['delete', 'delete', 1],
      ]);
    });

    it('should resume objects once after each start, and write nothing', async () => {
      await stop(await startAndHandle(['a', 'b']));
      const before = await versions();
      calls.clear();
      for (let round = 1; round <= 2; round++) {
        const operator = await start();
        await eventually('both are resumed', () => calls.all.length === 2 * round);
        await stop(operator);
      }
      expect(calls.all.every(({ handler, reason }) => handler === 'resume' && reason === 'resume')).toBe(true);
      expect(await versions()).toEqual(before);
    });

    it('should catch up with what happened while it was stopped, and leave the rest alone', async () => {
      await stop(await startAndHandle(['quiet', 'changed', 'deleted']));
      const before = await versions();
      calls.clear();
      await patch('changed', { spec: { field: 'v2' } });
      await create('created');
      await cluster.user.delete(`${OBJECTS}/deleted`);
      const operator = await start();
      await Promise.all([handled('changed'), handled('created'), gone('deleted')]);
      await eventually('the quiet one is resumed', () => calls.of('quiet').length);
      await stop(operator);
      expect(calls.handlers('quiet')).toEqual(['resume']);
      expect((await versions()).quiet).toBe(before.quiet);
      expect(calls.handlers('changed').toSorted()).toEqual(['resume', 'update', 'update']);
      expect(calls.handlers('created').filter((handler) => handler === 'create')).toHaveLength(2);
      expect(calls.handlers('deleted')).toEqual(['delete', 'delete']);
    });

    it('should finish after a restart what waits for a retry', async () => {
      const first = await start();
      await create('a');
      await eventually('the creation was tried', async () => {
        const object = await cluster.user.get(`${OBJECTS}/a`);
        return object && storedProgress(object).create?.retries === 1;
      });
      await stop(first);
      await start();
      const { status } = await withResult('a', 'create');
      expect(status?.create).toEqual({ retries: 1 });
      expect(calls.handlers('a').filter((handler) => handler === 'parts/left')).toHaveLength(1);
    });

    it('should survive an object that is too large to be remembered', async () => {
      const operator = await start();
      await create('large', { field: 'x'.repeat(300_000) });
      await eventually('it is reported', () =>
        operator.logger.messages('error').some((message) => message.includes('cannot be remembered')),
      );
      await create('small');
      await handled('small');
      const count = calls.handlers('large').length;
      await patch('small', { spec: { field: 'v2' } });
      await handled('small');
      expect(calls.handlers('large')).toHaveLength(count);
    });

    it('should not start with a token that is not accepted, and say so', async () => {
      const credentials = { ...cluster.credentials, token: 'not-the-token' };
      const operator = await start({ credentials, required: true });
      await expect(operator.ready()).rejects.toThrow(LoginError);
      expect(operator.logger.messages('error').join('\n')).toMatch(/401|Unauthorized|credentials/);
    });

    it('should wait for a resource that does not exist yet, and serve it again after it had gone', async () => {
      await undefine();
      const operator = await start();
      await operator.ready();
      expect(operator.logger.messages('warn').join('\n')).toMatch(/kopfexamples.* is not served/);
      await define();
      await create('a');
      await handled('a');

      // The objects go with their definition, once the operator lets them.
      await undefine();
      expect(calls.handlers('a').filter((handler) => handler === 'delete')).toHaveLength(2);
      calls.clear();
      await define();
      await create('b');
      await handled('b');
      expect(calls.handlers('b')).toContain('create');
    });

    async function startAndHandle(names: readonly string[]): Promise<LocalOperator> {
      const operator = await start();
      for (const name of names) await create(name);
      for (const name of names) await handled(name);
      return operator;
    }

    async function versions(): Promise<Record<string, string | undefined>> {
      const objects = await list();
      return Object.fromEntries(objects.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    }
  });
}
