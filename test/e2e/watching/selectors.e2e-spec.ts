import {
  Daemon,
  Index,
  KopfIndices,
  KopfOperator,
  OnCreate,
  OnDelete,
  OnEvent,
  OnResume,
  OnUpdate,
  StopReason,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
  type IndexContext,
  type KubeObject,
  type KubeRequest,
  type ObjectSelection,
} from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';
const WEB: ObjectSelection = { labels: 'app=web' };
const labelled = (app: string | null, more: object = {}): object => ({ metadata: { labels: { app }, ...more } });

/** An operator with handlers of all sorts for one selection. */
function operatorFor(selector: ObjectSelection, calls: string[], daemon?: (context: DaemonContext) => unknown) {
  class Operator {
    @OnCreate(...KEX, { selector })
    create({ name }: ChangeContext) {
      calls.push(`create ${name}`);
    }

    @OnResume(...KEX, { selector })
    resume({ name }: ChangeContext) {
      calls.push(`resume ${name}`);
    }

    @OnUpdate(...KEX, { selector })
    update({ name }: ChangeContext) {
      calls.push(`update ${name}`);
    }

    @OnDelete(...KEX, { selector })
    delete({ name }: ChangeContext) {
      calls.push(`delete ${name}`);
    }

    @OnEvent(...KEX, { selector })
    event({ name, type }: EventContext) {
      if (type === 'DELETED') calls.push(`DELETED ${name}`);
    }

    @Index(...KEX, { selector })
    names({ name }: IndexContext) {
      return { [name]: true };
    }

    @Daemon(...KEX, { selector, cancellationBackoff: 20, cancellationTimeout: 3 })
    async run(context: DaemonContext) {
      calls.push(`start ${context.name}`);
      if (daemon) await daemon(context);
      else await context.stopped.wait();
      const why = context.stopped.reason & StopReason.FILTERS_MISMATCH ? 'mismatch' : 'other reason';
      calls.push(`stop ${context.name}: ${why}`);
    }
  }
  return Operator;
}

/** Does not exit before it is told twice. */
const untilAborted = ({ signal }: DaemonContext): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('objects selected by labels and fields', () => {
  let harness: OperatorHarness;
  let calls: string[];

  beforeEach(async () => {
    harness = await OperatorHarness.start();
    calls = [];
  });

  const take = (): string[] => calls.splice(0).sort();
  const finalizersOf = async (name: string): Promise<string[] | undefined> =>
    (await harness.object(name)).metadata.finalizers;

  /** Counts the objects that are remembered and indexed, and the daemons that run. */
  function known(): Record<string, number> {
    const operator = harness.get(KopfOperator);
    return {
      objects: operator.objects,
      indexed: [...harness.get(KopfIndices).get('names')].length,
      daemons: operator.daemons,
    };
  }

  it('should be selected by the server, which sends no others', async () => {
    const requests: string[] = [];
    const intercept = ({ path }: KubeRequest): undefined => void requests.push(decodeURIComponent(path));
    await harness.create('before', labelled('web'));
    await harness.create('not-before', labelled('db'));
    await harness.run(operatorFor({ labels: 'app in (web)', fields: { 'metadata.namespace': 'ns' } }, calls), {
      intercept,
    });
    await harness.create('after', labelled('web'));
    await harness.create('not-after');
    await harness.create('not-here', labelled('web', { namespace: 'other' }));
    await harness.advance(5);
    expect(take()).toEqual(['create after', 'create before', 'start after', 'start before']);
    const watches = requests.filter((path) => path.startsWith('/apis/kopf.dev/v1/kopfexamples') && /watch=/.test(path));
    expect(watches.length).toBeGreaterThan(0);
    for (const path of watches) {
      expect(path).toContain('labelSelector=app=web');
      expect(path).toContain('fieldSelector=metadata.namespace=ns');
    }
    expect(known()).toEqual({ objects: 2, indexed: 2, daemons: 2 });
  });

  it('should be selected by the operator as far as handlers differ', async () => {
    class Operator {
      @OnCreate(...KEX, { selector: { labels: 'app=web,tier=a' } })
      one({ name }: ChangeContext) {
        calls.push(`one ${name}`);
      }

      @OnCreate(...KEX, { selector: { labels: 'app=web', fields: 'metadata.name!=c' } })
      two({ name }: ChangeContext) {
        calls.push(`two ${name}`);
      }
    }
    await harness.run(Operator);
    await harness.create('a', { metadata: { labels: { app: 'web', tier: 'a' } } });
    await harness.create('b', labelled('web'));
    await harness.create('c', labelled('web'));
    await harness.create('d', { metadata: { labels: { tier: 'a' } } });
    await harness.advance(5);
    expect(take()).toEqual(['one a', 'two a', 'two b']);
    expect(await harness.marks('c')).toEqual([]);
    expect(harness.get(KopfOperator).objects).toBe(3);
  });

  it('should all be watched if a handler is for all of them, and let go when they are not selected any more', async () => {
    class Everybody {
      @OnEvent(...KEX)
      seen() {}
    }
    await harness.run([operatorFor(WEB, calls), Everybody]);
    await harness.create('a', labelled('web'));
    await harness.create('b', labelled('db'));
    await harness.advance(5);
    expect(take()).toEqual(['create a', 'start a']);
    await harness.patch('a', labelled('db'));
    await harness.advance(5);
    expect(take()).toEqual(['stop a: mismatch']);
    expect(known()).toEqual({ objects: 2, indexed: 0, daemons: 0 });
    expect(await finalizersOf('a')).toBeUndefined();
  });

  it('should be deleted as ever', async () => {
    await harness.run(operatorFor(WEB, calls));
    await harness.create('a', labelled('web'));
    await harness.advance(5);
    take();
    await harness.delete('a');
    await harness.advance(5);
    expect(take()).toEqual(['DELETED a', 'delete a', 'stop a: other reason']);
    expect(await harness.read('a')).toBeUndefined();
    expect(known()).toEqual({ objects: 0, indexed: 0, daemons: 0 });
  });

  it('should be let go when they leave the selection, without being taken for deleted', async () => {
    await harness.run(operatorFor(WEB, calls));
    await harness.create('a', labelled('web'));
    await harness.advance(5);
    expect(await finalizersOf('a')).toEqual([FINALIZER]);
    take();
    await harness.patch('a', labelled('db'));
    await harness.advance(5);
    expect(take()).toEqual(['stop a: mismatch']);
    expect(known()).toEqual({ objects: 0, indexed: 0, daemons: 0 });
    expect(await finalizersOf('a')).toBeUndefined();
    await harness.delete('a');
    expect(await harness.read('a')).toBeUndefined();
    await harness.advance(5);
    expect(take()).toEqual([]);
    expect(harness.logger.messages('warn', 'error')).toEqual([]);
  });

  it('should be handled again when they come back, without having been created', async () => {
    await harness.run(operatorFor(WEB, calls));
    await harness.create('a', labelled('web'));
    await harness.advance(5);
    await harness.patch('a', labelled('db'));
    await harness.advance(5);
    take();
    await harness.patch('a', { ...labelled('web'), spec: { field: 'v2' } });
    await harness.advance(5);
    expect(take()).toEqual(['start a', 'update a']);
    expect(known()).toEqual({ objects: 1, indexed: 1, daemons: 1 });
    expect(await finalizersOf('a')).toEqual([FINALIZER]);
  });

  it('should be handled on if they leave and come back at once', async () => {
    await harness.run(operatorFor(WEB, calls));
    await harness.create('a', labelled('web'));
    await harness.advance(5);
    for (const app of ['db', 'web', 'db', 'web']) await harness.patch('a', labelled(app));
    await harness.advance(10);
    expect(known()).toEqual({ objects: 1, indexed: 1, daemons: 1 });
    expect(await finalizersOf('a')).toEqual([FINALIZER]);
    for (const app of ['db', 'web', 'db']) await harness.patch('a', labelled(app));
    await harness.advance(10);
    expect(known()).toEqual({ objects: 0, indexed: 0, daemons: 0 });
    expect(await finalizersOf('a')).toBeUndefined();
  });

  it('should be told from new objects with the same names', async () => {
    class Operator {
      @OnEvent(...KEX, { selector: WEB })
      event({ uid, type }: EventContext) {
        calls.push(`${type} ${uid}`);
      }
    }
    await harness.run(Operator);
    const first = await harness.create('a', labelled('web'));
    await harness.advance(1);
    await harness.delete('a');
    const second = await harness.create('a', labelled('db'));
    await harness.advance(1);
    expect(calls).toEqual([`ADDED ${first.metadata.uid}`, `DELETED ${first.metadata.uid}`]);
    await harness.patch('a', labelled('web'));
    await harness.advance(1);
    expect(calls.at(-1)).toBe(`ADDED ${second.metadata.uid}`);
  });

  it('should not be blocked if they leave while they are being deleted', async () => {
    await harness.run(operatorFor(WEB, calls, untilAborted));
    await harness.create('a', labelled('web'));
    await harness.advance(5);
    await harness.delete('a');
    await harness.patch('a', labelled('db'));
    await harness.advance(40);
    expect(await harness.read('a')).toBeUndefined();
    expect(known()).toEqual({ objects: 0, indexed: 0, daemons: 0 });
  });

  it('should be let go if they have left while the operator was away', async () => {
    const selector = operatorFor(WEB, calls);
    await harness.run(selector);
    for (const name of ['a', 'b', 'c']) await harness.create(name, labelled('web'));
    await harness.advance(5);
    await harness.stop();
    await harness.patch('a', labelled('db'));
    await harness.patch('b', labelled('db'));
    await harness.delete('b');
    expect((await harness.object('b')).metadata.deletionTimestamp).toBeDefined();
    take();
    await harness.run(selector, { watching: { pageSize: 1 } });
    await harness.advance(5);
    expect(await finalizersOf('a')).toBeUndefined();
    expect(await harness.read('b')).toBeUndefined();
    expect(await finalizersOf('c')).toEqual([FINALIZER]);
    expect(take()).toEqual(['resume c', 'start c']);
    expect(known()).toEqual({ objects: 1, indexed: 1, daemons: 1 });
  });

  it('should be let go if they have left or gone while the connection was broken', async () => {
    await harness.run(operatorFor(WEB, calls));
    for (const name of ['left', 'gone', 'stays']) await harness.create(name, labelled('web'));
    await harness.advance(5);
    take();
    await harness.kube.faults.goDown();
    await harness.advance(5);
    await harness.kube.faults.comeBack();
    await harness.patch('left', labelled('db'));
    await harness.patch('gone', labelled('web', { finalizers: null }));
    await harness.delete('gone');
    harness.kube.faults.expireHistory();
    await harness.advance(60);
    expect(take()).toEqual(['DELETED gone', 'stop gone: other reason', 'stop left: mismatch']);
    expect(await finalizersOf('left')).toBeUndefined();
    expect(known()).toEqual({ objects: 1, indexed: 1, daemons: 1 });
  });

  it('should be let go by daemons that take their time', async () => {
    await harness.run(operatorFor(WEB, calls, untilAborted));
    await harness.create('a', labelled('web'));
    await harness.advance(5);
    await harness.patch('a', labelled('db'));
    await harness.advance(1);
    expect(known()).toMatchObject({ indexed: 0, daemons: 1 });
    await harness.advance(60);
    expect(known()).toEqual({ objects: 0, indexed: 0, daemons: 0 });
    expect(await harness.marks('a')).not.toContain('kopf.zalando.org/touch-dummy');
  });

  it('should keep what handlers do that are at work when an object leaves', async () => {
    class Operator {
      @OnCreate(...KEX, { selector: WEB })
      async create() {
        await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 30_000));
        return 'done';
      }

      @OnDelete(...KEX, { selector: WEB })
      delete() {}
    }
    await harness.run(Operator);
    await harness.create('a', labelled('web'));
    await harness.advance(5);
    await harness.patch('a', labelled('db'));
    await harness.advance(5);
    expect(await finalizersOf('a')).toEqual([FINALIZER]);
    await harness.advance(30);
    expect((await harness.object('a')).status).toEqual({ create: 'done' });
    expect(await finalizersOf('a')).toBeUndefined();
    expect(harness.get(KopfOperator).objects).toBe(0);
  });

  it.each([5, 0])(
    'should be let go if they leave just before the finalizer is added, with the consistency timeout %i',
    async (consistencyTimeout) => {
      class Operator {
        @OnEvent(...KEX, { selector: WEB })
        async event({ patch }: EventContext) {
          await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 10_000));
          patch.status.seen = true;
        }

        @OnDelete(...KEX, { selector: WEB })
        delete() {}
      }
      await harness.run(Operator, { persistence: { consistencyTimeout } });
      await harness.create('a', labelled('web'));
      await harness.advance(5);
      await harness.patch('a', labelled('db'));
      await harness.advance(30);
      expect((await harness.object('a')).status).toEqual({ seen: true });
      expect(await finalizersOf('a')).toBeUndefined();
      expect(harness.get(KopfOperator).objects).toBe(0);
    },
  );

  it.each(['left', 'gone'])(
    'should not be taken for new ones by what the watch tells late, after they are found to have %s',
    async (fate) => {
      await harness.run(operatorFor(WEB, calls));
      await harness.create('a', labelled('web'));
      await harness.advance(5);
      expect(take()).toEqual(['create a', 'start a']);
      // Until the operator gets an answer, it gets all the events.
      const isInquiry = ({ query }: { query: URLSearchParams }): boolean => query.has('fieldSelector');
      const rejection = harness.kube.faults.reject(403, { verb: 'list', when: isInquiry, times: Infinity });
      for (const app of ['db', 'web', 'db']) await harness.patch('a', labelled(app));
      if (fate === 'gone') {
        await harness.patch('a', labelled('web', { finalizers: null }));
        await harness.delete('a');
      }
      await harness.advance(1);
      rejection.cancel();
      await harness.advance(100);
      expect(take()).toEqual(fate === 'gone' ? ['DELETED a', 'stop a: other reason'] : ['stop a: mismatch']);
      expect(known()).toEqual({ objects: 0, indexed: 0, daemons: 0 });
      if (fate === 'gone') return;
      expect(await finalizersOf('a')).toBeUndefined();
      await harness.patch('a', labelled('web'));
      await harness.advance(5);
      expect(take()).toEqual(['start a']);
    },
  );

  it('should be asked about until the server answers', async () => {
    await harness.run(operatorFor(WEB, calls));
    await harness.create('a', labelled('web'));
    await harness.advance(5);
    take();
    const isInquiry = ({ query }: { query: URLSearchParams }): boolean => query.has('fieldSelector');
    const rejection = harness.kube.faults.reject(403, { verb: 'list', when: isInquiry, times: Infinity });
    await harness.patch('a', labelled('db'));
    await harness.advance(200);
    expect(take()).toEqual([]);
    expect(harness.logger.messages('warn').join('\n')).toContain(
      'It is not known whether KopfExample ns/a is deleted or not selected any more',
    );
    rejection.cancel();
    harness.kube.faults.reject(500, { verb: 'patch', times: 20 });
    await harness.advance(600);
    expect(take()).toEqual(['stop a: mismatch']);
    expect(await finalizersOf('a')).toBeUndefined();
  });

  it.each([7, 14, 19, 24, 147])(
    'should be held and known exactly as they are selected, whatever goes wrong (seed %i)',
    async (seed) => {
      const random = new SeededRandom(seed);
      const pick = <T>(items: readonly T[]): T => items[Math.floor(random.next() * items.length)];
      const { faults } = harness.kube;
      const names = Array.from({ length: 12 }, (_, index) => `object-${index}`);
      const mishaps: (() => unknown)[] = [
        () => faults.damageLines('cut', { resource: 'kopfexamples.kopf.dev' }),
        () => faults.damageWatches('stall', { resource: 'kopfexamples.kopf.dev' }),
        () => faults.damageWatches({ error: 410 }, { resource: 'kopfexamples.kopf.dev' }),
        () => harness.kube.expireHistory(),
        () => faults.reject(pick([500, 429, 409]), { verb: 'patch', times: 3, userAgent: /kopf/ }),
        () => faults.reject(pick([500, 403]), { verb: 'list', times: 3 }),
        () => faults.cut('after', { verb: pick(['patch', 'list']) }),
      ];
      const handlers = operatorFor(WEB, calls, ({ stopped }) => stopped.wait().then(() => undefined));
      const options = { watching: { inactivityTimeout: 5, pageSize: 3 }, networking: { errorBackoffs: [0.1, 1] } };
      const { client } = harness.kube;
      const objects = { group: 'kopf.dev', plural: 'kopfexamples' };
      await harness.run(handlers, options);
      for (let step = 0; step < 400; step++) {
        const [name, app, roll] = [pick(names), pick(['web', 'db']), random.next()];
        const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name, labels: { app } }, spec: {} };
        const exists = client.list(objects, 'ns').some(({ metadata }) => metadata.name === name);
        if (!exists) await client.create(objects, 'ns', body);
        else if (roll < 0.15) await client.delete(objects, 'ns', name);
        else await client.patch(objects, 'ns', name, { metadata: { labels: { app } }, spec: { step } });
        if (random.next() < 0.2) pick(mishaps)();
        if (random.next() < 0.5) await harness.advance(pick([0.01, 0.1, 1, 10]));
        if (step === 200) {
          await harness.stop();
          await harness.run(handlers, { ...options, unready: true });
        }
      }
      faults.clear();
      await harness.advance(900);
      const left = client.list(objects, 'ns');
      const selected = left.filter(({ metadata }) => metadata.labels?.app === 'web');
      const held = left.filter(({ metadata }) => metadata.finalizers !== undefined);
      expect(left.filter(({ metadata }) => metadata.deletionTimestamp)).toEqual([]);
      expect(held.map(({ metadata }) => metadata.name)).toEqual(selected.map(({ metadata }) => metadata.name));
      expect(selected.length).toBeGreaterThan(0);
      expect(known()).toEqual({ objects: selected.length, indexed: selected.length, daemons: selected.length });
    },
  );

  it('should go with their resource', async () => {
    await harness.run(operatorFor(WEB, calls));
    await harness.create('a', labelled('web'));
    await harness.create('b', labelled('web'));
    await harness.advance(5);
    take();
    const undefining = harness.undefine();
    await harness.advance(60);
    await undefining;
    expect(known()).toEqual({ objects: 0, indexed: 0, daemons: 0 });
    await harness.define();
    await harness.advance(60);
    await harness.create('c', labelled('web'));
    await harness.advance(5);
    expect(calls).toContain('create c');
  });

  it('should be selected by what fields mean to the server', async () => {
    class Operator {
      @OnEvent('nodes', { selector: { fields: { 'spec.unschedulable': 'false' } } })
      event({ name, type }: EventContext) {
        calls.push(`${type} ${name}`);
      }
    }
    await harness.run(Operator);
    const node = (name: string, spec = {}): Promise<KubeObject> =>
      harness.send('POST', '/api/v1/nodes', { metadata: { name }, spec });
    await node('one');
    await node('two', { unschedulable: true });
    await harness.advance(1);
    expect(take()).toEqual(['ADDED one']);
    await harness.send('PATCH', '/api/v1/nodes/one', { spec: { unschedulable: true } });
    await harness.advance(1);
    expect([take(), harness.get(KopfOperator).objects]).toEqual([[], 0]);
    await harness.send('PATCH', '/api/v1/nodes/one', { spec: { unschedulable: null } });
    await harness.advance(1);
    expect(take()).toEqual(['ADDED one']);
    await harness.send('DELETE', '/api/v1/nodes/one');
    await harness.advance(1);
    expect(take()).toEqual(['DELETED one']);
  });

  it('should name errors with their class, method, and option', async () => {
    class Operator {
      @OnCreate(...KEX, { selector: { labels: 'app web' } })
      create() {}
    }
    await expect(harness.run(Operator)).rejects.toThrow(
      'Operator.create (@OnCreate): option \'selector\' cannot be used: "app web" is not a requirement on a label',
    );
  });
});
