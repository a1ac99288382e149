import {
  Daemon,
  Index,
  KopfPeering,
  OnCreate,
  OnDelete,
  OnUpdate,
  StopReason,
  type ChangeContext,
  type DaemonContext,
  type IndexContext,
  type KubeObject,
  type KubeRequest,
} from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { readManifests } from '../../support/clusters/manifests.js';
import { KEX, OperatorHarness, errorResponse, type OperatorOptions } from '../../support/operators/operator.harness.js';
import { HandlerLog } from './handler.log.js';

const CLUSTER = '/apis/kopf.dev/v1/clusterkopfpeerings';
const NAMESPACED = '/apis/kopf.dev/v1/namespaces/ns/kopfpeerings';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

type Records = Record<string, { priority: number; lifetime: number; lastseen: string }>;

let seed = 100;

/** Options of an operator that is not mistaken for another one. */
function called(identity: string, priority: number, more: OperatorOptions = {}): OperatorOptions {
  return { random: new SeededRandom(seed++), ...more, peering: { identity, priority, ...more.peering } };
}

async function definePeering(harness: OperatorHarness, group = 'kopf.dev'): Promise<void> {
  for (const manifest of readManifests('peering.yaml')) {
    const text = JSON.stringify(manifest).replaceAll('kopf.dev', group);
    await harness.send('POST', DEFINITIONS, JSON.parse(text) as object);
  }
  await harness.advance(1);
}

async function startCluster(objects: readonly string[] = [CLUSTER]): Promise<OperatorHarness> {
  const harness = await OperatorHarness.start();
  await definePeering(harness);
  for (const path of objects) await createPeering(harness, path);
  return harness;
}

async function createPeering(harness: OperatorHarness, path: string, status?: object, name = 'default') {
  const kind = path.includes('/namespaces/') ? 'KopfPeering' : 'ClusterKopfPeering';
  const apiVersion = path.split('/').slice(2, 4).join('/');
  await harness.send('POST', path, { apiVersion, kind, metadata: { name }, status });
}

async function recordsOf(harness: OperatorHarness, path = `${CLUSTER}/default`): Promise<Records> {
  return ((await harness.send('GET', path)).status ?? {}) as Records;
}

function timestamp(harness: OperatorHarness, seconds = 0): string {
  return new Date(harness.clock.now() + seconds * 1000).toISOString().replace('Z', '000+00:00');
}

function handlersOf(log: HandlerLog, operator: string, work: () => Promise<unknown> = () => Promise.resolve()) {
  class Operator {
    @OnCreate(...KEX)
    create(context: ChangeContext) {
      return log.during(operator, context, work);
    }

    @OnUpdate(...KEX)
    update(context: ChangeContext) {
      return log.during(operator, context, work);
    }
  }
  return Operator;
}

describe('peering', () => {
  describe('the record', () => {
    it("should be written in Kopf's form, kept fresh, and removed at the end", async () => {
      const harness = await startCluster();
      const operator = await harness.run(handlersOf(new HandlerLog(harness.clock), 'a'), called('a', 7));
      expect(await recordsOf(harness)).toEqual({ a: { priority: 7, lifetime: 60, lastseen: timestamp(harness) } });
      const [write] = harness.writes;
      expect(write).toMatchObject({ path: `${CLUSTER}/default`, contentType: 'application/merge-patch+json' });
      expect(JSON.stringify(write.body)).toMatch(
        /^\{"status":\{"a":\{"priority":7,"lifetime":60,"lastseen":"2021-01-01T00:00:0\d\.\d{6}\+00:00"\}\}\}$/,
      );
      harness.writes.length = 0;
      await harness.advance(49);
      expect(harness.writes).toHaveLength(0);
      await harness.advance(6);
      expect(harness.writes).toHaveLength(1);
      await harness.advance(600);
      expect(harness.writes.length).toBeGreaterThanOrEqual(11);
      expect(harness.writes.length).toBeLessThanOrEqual(14);
      harness.writes.length = 0;
      await harness.stop(operator);
      expect(harness.writes.map(({ body }) => body)).toEqual([{ status: { a: null } }]);
      expect(await recordsOf(harness)).toEqual({});
    });

    it('should have an identity of the user, the host, the time, and three characters', async () => {
      const harness = await startCluster();
      await harness.run(handlersOf(new HandlerLog(harness.clock), 'a'), { random: new SeededRandom(5) });
      const [identity] = Object.keys(await recordsOf(harness));
      expect(identity).toMatch(/^[^@/]+@[^@/]+\/20210101\d{6}\/[a-fh-z0-9]{3}$/);
      expect(harness.get<KopfPeering>(KopfPeering).identity).toBe(identity);
    });

    it('should be removed when dead, with all other dead ones in one patch', async () => {
      const harness = await startCluster([]);
      const dead = { priority: 100, lifetime: 10, lastseen: timestamp(harness, -11) };
      const alive = { priority: -1, lifetime: 1000, lastseen: timestamp(harness), extra: 'x' };
      await createPeering(harness, CLUSTER, { one: dead, two: dead, alive });
      const operator = await harness.run(handlersOf(new HandlerLog(harness.clock), 'a'), called('a', 0));
      await harness.advance(1);
      expect(Object.keys(await recordsOf(harness))).toEqual(['a', 'alive']);
      expect(harness.writes.map(({ body }) => body)).toContainEqual({ status: { one: null, two: null } });
      expect(operator.state).toBe('running');
      expect((await recordsOf(harness)).alive).toEqual(alive);
    });

    it('should be kept quietly in the stealth mode', async () => {
      const harness = await startCluster();
      await harness.run(handlersOf(new HandlerLog(harness.clock), 'a'), called('a', 0, { peering: { stealth: true } }));
      await harness.advance(120);
      expect(harness.logger.messages().filter((line) => line.includes('Keep-alive'))).toEqual([]);
      await harness.run(handlersOf(new HandlerLog(harness.clock), 'b'), called('b', 1));
      expect(harness.logger.messages('debug')).toContain('Keep-alive in ClusterKopfPeering default: ok.');
    });

    it('should be written again when the server was away', async () => {
      const harness = await startCluster();
      let isAway = false;
      const intercept = () => (isAway ? errorResponse(503, 'ServiceUnavailable', 'away') : undefined);
      await harness.run(handlersOf(new HandlerLog(harness.clock), 'a'), called('a', 0, { intercept }));
      isAway = true;
      await harness.advance(300);
      isAway = false;
      await harness.advance(60);
      const { a } = await recordsOf(harness);
      expect(Date.parse(a.lastseen)).toBeGreaterThan(harness.clock.now() - 60_000);
      expect(harness.logger.messages('warn').filter((line) => line.includes('keep-alive'))).toHaveLength(1);
    });
  });

  describe('priorities', () => {
    it('should let only the highest one work, and the others go on when it stops', async () => {
      const harness = await startCluster();
      const log = new HandlerLog(harness.clock);
      const low = await harness.run(handlersOf(log, 'low'), called('low', 0));
      await harness.create('first');
      await harness.advance(1);
      const high = await harness.run(handlersOf(log, 'high'), called('high', 10));
      await harness.advance(1);
      expect([low.state, high.state]).toEqual(['paused', 'running']);
      expect(low.pauseStatus.reasons).toEqual(['ClusterKopfPeering default: others have a higher priority: high']);
      await harness.create('second');
      await harness.patch('first', { spec: { field: 'v2' } });
      await harness.advance(1);
      expect(log.objectsOf('high')).toEqual(['first', 'second']);
      await harness.stop(high);
      await harness.create('third');
      await harness.patch('second', { spec: { field: 'v2' } });
      await harness.advance(1);
      expect(low.state).toBe('running');
      expect(
        log
          .of('low')
          .map(({ object }) => object)
          .sort(),
      ).toEqual(['first', 'second', 'third']);
      expect(log.objectsOf('high')).toEqual(['first', 'second']);
      expect(log.of('high')).toHaveLength(2);
    });

    it('should not let a lower one handle anything while a higher one works', async () => {
      const harness = await startCluster();
      const log = new HandlerLog(harness.clock);
      await harness.create('early');
      await harness.run(
        handlersOf(log, 'high', () => pause(harness, 20)),
        called('high', 10),
      );
      const low = await harness.run(handlersOf(log, 'low'), called('low', 0));
      expect(low.state).toBe('paused');
      await harness.advance(60);
      expect(log.of('low')).toEqual([]);
      expect(log.objectsOf('high')).toEqual(['early']);
    });

    it('should pause everyone if they are the same, with a warning, until one is left', async () => {
      const harness = await startCluster();
      const log = new HandlerLog(harness.clock);
      const one = await harness.run(handlersOf(log, 'one'), called('one', 5));
      const two = await harness.run(handlersOf(log, 'two'), called('two', 5));
      await harness.advance(1);
      expect([one.state, two.state]).toEqual(['paused', 'paused']);
      const warnings = harness.logger.messages('warn').filter((line) => line.includes('the same priority'));
      expect(warnings).toHaveLength(2);
      await harness.create('a');
      await harness.advance(300);
      expect(log.runs).toEqual([]);
      await harness.stop(one);
      await harness.advance(1);
      expect(two.state).toBe('running');
      expect(log.objectsOf('two')).toEqual(['a']);
    });

    it('should go on when a higher one is dead, after its lifetime and not before', async () => {
      const harness = await startCluster([]);
      await createPeering(harness, CLUSTER, { high: { priority: 1, lifetime: 30, lastseen: timestamp(harness) } });
      const began = harness.clock.monotonic();
      const low = await harness.run(handlersOf(new HandlerLog(harness.clock), 'low'), called('low', 0));
      expect(low.state).toBe('paused');
      await harness.advance(29 - (harness.clock.monotonic() - began) / 1000);
      expect(low.state).toBe('paused');
      await harness.advance(1.1);
      expect(low.state).toBe('running');
      expect(Object.keys(await recordsOf(harness))).toEqual(['low']);
    });

    it('should not go on when the server is away at the end of the lifetime, as nobody knows', async () => {
      const harness = await startCluster([]);
      await createPeering(harness, CLUSTER, { high: { priority: 1, lifetime: 30, lastseen: timestamp(harness) } });
      let isAway = false;
      const intercept = () => (isAway ? errorResponse(503, 'ServiceUnavailable', 'away') : undefined);
      const low = await harness.run(handlersOf(new HandlerLog(harness.clock), 'low'), called('low', 0, { intercept }));
      isAway = true;
      await harness.advance(20);
      const high = { priority: 1, lifetime: 30, lastseen: timestamp(harness) };
      await harness.send('PATCH', `${CLUSTER}/default`, { status: { high } });
      await harness.advance(25);
      expect(low.state).toBe('paused');
      isAway = false;
      await harness.advance(4);
      expect(low.state).toBe('paused');
      await harness.advance(10);
      expect(low.state).toBe('running');
    });
  });

  describe('a pause', () => {
    it('should stop daemons, say why, and start them again', async () => {
      const harness = await startCluster();
      const reasons: number[] = [];
      let running = 0;
      class Operator {
        @Daemon(...KEX)
        async run({ stopped }: DaemonContext) {
          running++;
          await stopped.wait();
          running--;
          reasons.push(stopped.reason);
        }
      }
      await harness.create('a');
      await harness.run(Operator, called('low', 0));
      await harness.advance(1);
      expect(running).toBe(1);
      const high = await harness.run(handlersOf(new HandlerLog(harness.clock), 'high'), called('high', 1));
      await harness.advance(2);
      expect(running).toBe(0);
      expect(reasons[0] & StopReason.OPERATOR_PAUSING).toBe(StopReason.OPERATOR_PAUSING);
      await harness.stop(high);
      await harness.advance(2);
      expect(running).toBe(1);
    });

    it('should be possible by hand, and miss nothing: changes, deletions, and creations', async () => {
      const harness = await OperatorHarness.start();
      const calls: string[] = [];
      class Operator {
        @OnCreate(...KEX)
        create({ name }: ChangeContext) {
          calls.push(`create ${name}`);
        }

        @OnUpdate(...KEX)
        update({ name }: ChangeContext) {
          calls.push(`update ${name}`);
        }

        @OnDelete(...KEX, { optional: true })
        delete() {}
      }
      const operator = await harness.run(Operator);
      for (const name of ['changed', 'deleted', 'kept']) await harness.create(name);
      await harness.advance(1);
      calls.length = 0;
      operator.pause('Maintenance.');
      await harness.advance(1);
      expect(operator.state).toBe('paused');
      expect(operator.pauseStatus).toEqual({ paused: true, reasons: ['Maintenance.'] });
      await harness.patch('changed', { spec: { field: 'v2' } });
      await harness.delete('deleted');
      await harness.create('created');
      await harness.advance(100);
      expect(calls).toEqual([]);
      operator.resume();
      await harness.advance(1);
      expect(operator.state).toBe('running');
      expect(calls.sort()).toEqual(['create created', 'update changed']);
      expect(operator.objects).toBe(3);
    });

    it('should end the waiting for retries, and not handle what another operator has handled meanwhile', async () => {
      const harness = await OperatorHarness.start();
      let attempts = 0;
      class Operator {
        @OnCreate(...KEX, { backoff: 5 })
        create() {
          attempts++;
          throw new Error('not yet');
        }
      }
      const operator = await harness.run(Operator);
      await harness.create('a');
      await harness.advance(1);
      expect(attempts).toBe(1);
      operator.pause();
      await harness.advance(60);
      expect(attempts).toBe(1);
      const essence = '{"spec":{"field":"v1"}}\n';
      const annotations = Object.fromEntries((await harness.marks('a')).map((key) => [key, null]));
      annotations['kopf.zalando.org/last-handled-configuration'] = essence as never;
      await harness.patch('a', { metadata: { annotations } });
      operator.resume();
      await harness.advance(60);
      expect(attempts).toBe(1);
    });

    it('should not hurt indices: they are complete before handlers run, and without what has vanished', async () => {
      const harness = await OperatorHarness.start();
      const sizes: number[] = [];
      class Operator {
        @Index(...KEX)
        async names({ name }: IndexContext) {
          await pause(harness, 1);
          return name;
        }

        @OnCreate(...KEX)
        create({ indices }: ChangeContext) {
          sizes.push(indices.names.get(null)?.size ?? 0);
        }
      }
      for (const name of ['a', 'b', 'c']) await harness.create(name);
      const operator = await harness.run(Operator, { enabled: false, unready: true });
      operator.pause();
      await Promise.all([operator.start(), harness.advance(10)]);
      operator.resume();
      // In the middle of the indexing of the first list.
      await harness.advance(0.5);
      operator.pause();
      await harness.advance(10);
      expect(sizes).toEqual([]);
      await harness.delete('c');
      operator.resume();
      await harness.advance(10);
      expect(sizes).toEqual([2, 2]);
      await harness.create('d');
      await harness.advance(10);
      expect(sizes).toEqual([2, 2, 3]);
    });

    it('should last from the start on if it is wanted before', async () => {
      const harness = await OperatorHarness.start();
      const log = new HandlerLog(harness.clock);
      await harness.create('a');
      const operator = await harness.run(handlersOf(log, 'a'), { enabled: false, unready: true });
      operator.pause();
      await Promise.all([operator.start(), harness.advance(10)]);
      await operator.ready();
      expect([operator.state, log.runs.length]).toEqual(['paused', 0]);
      operator.resume();
      await harness.advance(1);
      expect([operator.state, log.runs.length]).toEqual(['running', 1]);
    });
  });

  describe('a crash', () => {
    it('should let the other one take over within the lifetime, without leaving out any object, and without clashes', async () => {
      const harness = await startCluster();
      const log = new HandlerLog(harness.clock);
      const low = await harness.run(
        handlersOf(log, 'low', () => pause(harness, 1)),
        called('low', 0),
      );
      const high = await harness.run(
        handlersOf(log, 'high', () => pause(harness, 3)),
        called('high', 1),
      );
      const names = Array.from({ length: 30 }, (_, index) => `object-${index}`);
      for (const name of names.slice(0, 20)) {
        await harness.create(name);
        await harness.advance(0.5);
      }
      harness.kill(high);
      log.end('high');
      const died = harness.clock.monotonic();
      for (const name of names.slice(20)) {
        await harness.create(name);
        await harness.advance(0.5);
      }
      await harness.advance(56);
      expect(low.state).toBe('running');
      expect(log.of('low')[0].from - died).toBeLessThanOrEqual(60_000);
      await harness.advance(10);
      const objects = await Promise.all(names.map((name) => harness.object(name)));
      expect(objects.filter((object) => !isHandled(object))).toEqual([]);
      expect(log.objectsOf('high').length).toBeGreaterThan(10);
      expect(new Set([...log.objectsOf('low'), ...log.objectsOf('high')])).toEqual(new Set(names));
      expect(log.overlaps).toEqual([]);
    });
  });

  describe('the choice of the object', () => {
    it('should do without if there is none, and join when it comes', async () => {
      const harness = await OperatorHarness.start();
      const operator = await harness.run(handlersOf(new HandlerLog(harness.clock), 'a'), called('a', 0));
      expect(operator.state).toBe('running');
      expect(harness.get<KopfPeering>(KopfPeering).status).toEqual([]);
      await definePeering(harness);
      await harness.advance(5);
      expect(harness.get<KopfPeering>(KopfPeering).status).toMatchObject([{ name: 'default', exists: false }]);
      const writes = harness.writes.length;
      await harness.advance(300);
      expect(harness.writes.length).toBe(writes);
      await createPeering(harness, CLUSTER);
      await harness.advance(1);
      expect(Object.keys(await recordsOf(harness))).toEqual(['a']);
      await harness.send('DELETE', `${CLUSTER}/default`);
      await createPeering(harness, CLUSTER, { b: { priority: 1, lastseen: timestamp(harness) } });
      await harness.advance(1);
      expect(Object.keys(await recordsOf(harness))).toEqual(['a', 'b']);
      expect(operator.state).toBe('paused');
      await harness.send('DELETE', `${CLUSTER}/default`);
      await harness.advance(1);
      expect(operator.state).toBe('running');
    });

    it('should wait for a mandatory one: for its resource, and for the object', async () => {
      const harness = await OperatorHarness.start();
      const log = new HandlerLog(harness.clock);
      await harness.create('a');
      const peering = { name: 'mine', mandatory: true };
      const operator = await harness.run(handlersOf(log, 'a'), called('a', 0, { peering }));
      await harness.advance(60);
      expect(operator.state).toBe('paused');
      expect(operator.pauseStatus.reasons[0]).toContain('no resource of the kind ClusterKopfPeering');
      await definePeering(harness);
      await harness.advance(60);
      expect(operator.pauseStatus.reasons).toEqual(['ClusterKopfPeering mine: it does not exist']);
      await createPeering(harness, CLUSTER, undefined, 'default');
      await harness.advance(60);
      expect([operator.state, log.runs.length]).toEqual(['paused', 0]);
      await createPeering(harness, CLUSTER, undefined, 'mine');
      await harness.advance(1);
      expect([operator.state, log.runs.length]).toEqual(['running', 1]);
      expect(Object.keys(await recordsOf(harness, `${CLUSTER}/mine`))).toEqual(['a']);
      expect(await recordsOf(harness)).toEqual({});
    });

    it('should not care for others when standalone', async () => {
      const harness = await startCluster([]);
      await createPeering(harness, CLUSTER, { b: { priority: 1, lifetime: 1000, lastseen: timestamp(harness) } });
      const peering = { standalone: true, mandatory: true };
      const operator = await harness.run(handlersOf(new HandlerLog(harness.clock), 'a'), called('a', 0, { peering }));
      await harness.advance(100);
      expect(operator.state).toBe('running');
      expect(Object.keys(await recordsOf(harness))).toEqual(['b']);
    });

    it.each([
      [false, 'running'],
      [true, 'paused'],
    ])('should not be known without permissions, which matters if it is mandatory: %s', async (mandatory, state) => {
      const harness = await startCluster();
      let isForbidden = true;
      const intercept = ({ path }: KubeRequest) =>
        isForbidden && path.startsWith(CLUSTER) ? errorResponse(403, 'Forbidden', 'no') : undefined;
      const options = called('a', 0, { intercept, peering: { mandatory } });
      const operator = await harness.run(handlersOf(new HandlerLog(harness.clock), 'a'), options);
      await harness.advance(100);
      expect(operator.state).toBe(state);
      expect(harness.logger.messages('warn')).toHaveLength(2);
      isForbidden = false;
      await harness.advance(60);
      expect(operator.state).toBe('running');
      expect(Object.keys(await recordsOf(harness))).toEqual(['a']);
    });

    it('should be one in each served namespace for operators that do not serve the cluster', async () => {
      const harness = await startCluster([CLUSTER, NAMESPACED, NAMESPACED.replace('/ns/', '/other/')]);
      const log = new HandlerLog(harness.clock);
      const options = called('a', 0, { namespaces: ['ns', 'other'] });
      const operator = await harness.run(handlersOf(log, 'a'), options);
      const whole = await harness.run(handlersOf(log, 'c'), called('c', 9));
      const apart = await harness.run(handlersOf(log, 'd'), called('d', 9, { namespaces: ['apart'] }));
      await harness.advance(1);
      expect([operator.state, whole.state, apart.state]).toEqual(['running', 'running', 'running']);
      expect(Object.keys(await recordsOf(harness, `${NAMESPACED}/default`))).toEqual(['a']);
      const rival = await harness.run(handlersOf(log, 'b'), called('b', 1, { namespaces: ['other'] }));
      await harness.advance(1);
      expect([operator.state, rival.state]).toEqual(['paused', 'running']);
      await harness.stop(rival);
      await harness.advance(1);
      expect(operator.state).toBe('running');
    });

    it('should follow the namespaces that appear and disappear', async () => {
      const harness = await startCluster([NAMESPACED]);
      await harness.run(handlersOf(new HandlerLog(harness.clock), 'a'), called('a', 0, { namespaces: ['n*'] }));
      const peering = harness.get<KopfPeering>(KopfPeering);
      expect(peering.status.map(({ namespace }) => namespace)).toEqual(['ns']);
      await harness.send('POST', '/api/v1/namespaces', { metadata: { name: 'new' } });
      await harness.advance(2);
      expect(peering.status.map(({ namespace }) => namespace)).toEqual(['ns', 'new']);
      await harness.send('DELETE', '/api/v1/namespaces/ns');
      await harness.advance(5);
      expect(peering.status.map(({ namespace }) => namespace)).toEqual(['new']);
    });

    it('should be possible in the group of former times', async () => {
      const harness = await OperatorHarness.start();
      await definePeering(harness, 'zalando.org');
      const path = '/apis/zalando.org/v1/clusterkopfpeerings';
      await createPeering(harness, path);
      const log = new HandlerLog(harness.clock);
      const low = await harness.run(handlersOf(log, 'a'), called('a', 0));
      const high = await harness.run(handlersOf(log, 'b'), called('b', 1));
      await harness.advance(1);
      expect(Object.keys(await recordsOf(harness, `${path}/default`)).sort()).toEqual(['a', 'b']);
      expect([low.state, high.state]).toEqual(['paused', 'running']);
    });
  });

  it('should keep the operator known as alive, however many requests wait for their budget', async () => {
    const harness = await startCluster();
    const networking = { qps: 1, burst: 1 };
    await harness.run(handlersOf(new HandlerLog(harness.clock), 'a'), called('a', 0, { networking }));
    for (let index = 0; index < 300; index++) await harness.create(`kex-${index}`);
    for (let minute = 0; minute < 3; minute++) {
      await harness.advance(60);
      const { lastseen } = (await recordsOf(harness)).a;
      expect(harness.clock.now() - Date.parse(lastseen)).toBeLessThan(60_000);
    }
    expect((await harness.object('kex-299')).metadata.annotations).toBeUndefined();
  });

  it('should show the peers, and tell of changes', async () => {
    const harness = await startCluster();
    const ranks: string[] = [];
    await harness.run(handlersOf(new HandlerLog(harness.clock), 'a'), called('a', 0));
    const peering = harness.get<KopfPeering>(KopfPeering);
    const subscription = peering.status$.subscribe((status) => ranks.push(status[0]?.rank ?? 'none'));
    const high = await harness.run(handlersOf(new HandlerLog(harness.clock), 'b'), called('b', 3));
    await harness.advance(1);
    expect(peering.peers.map(({ identity, priority }) => [identity, priority])).toEqual([
      ['a', 0],
      ['b', 3],
    ]);
    expect(peering.paused).toBe(true);
    await harness.stop(high);
    await harness.advance(1);
    expect(peering.paused).toBe(false);
    expect(ranks.filter((rank, index) => rank !== ranks[index - 1])).toEqual(['first', 'outranked', 'first']);
    harness.writes.length = 0;
    await Promise.all([peering.touch(), harness.advance(0)]);
    expect(harness.writes).toHaveLength(1);
    subscription.unsubscribe();
  });
});

function isHandled({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['kopf.zalando.org/last-handled-configuration'] !== undefined;
}

function pause({ clock }: OperatorHarness, seconds: number): Promise<void> {
  return new Promise((resolve) => clock.setTimer(resolve, seconds * 1000));
}
