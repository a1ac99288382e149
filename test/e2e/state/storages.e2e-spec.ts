import { OnCreate, OnField, OnUpdate, TemporaryError, type ChangeContext, type KubeObject } from 'nestjs-kopf';
import {
  AnnotationsDiffBaseStorage,
  AnnotationsProgressStorage,
  MultiDiffBaseStorage,
  MultiProgressStorage,
  StatusDiffBaseStorage,
  StatusProgressStorage,
  type DiffBaseStorage,
  type ProgressRecord,
  type ProgressStorage,
} from 'nestjs-kopf/storages';
import { Calls } from '../../support/operators/calls.js';
import { counting } from './counting.operator.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

describe('Configured storages', () => {
  it('should keep the progress where they say, and leave nothing in the end', async () => {
    class Operator {
      @OnCreate(...KEX)
      one() {}
      @OnCreate(...KEX)
      two({ retry }: ChangeContext) {
        if (retry === 0) throw new TemporaryError('wait', { delay: 10 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, {
      persistence: {
        progressStorage: new StatusProgressStorage({ field: 'status.my-operator' }),
        diffbaseStorage: new AnnotationsDiffBaseStorage({ prefix: 'my-op.example.com', key: 'diff-base' }),
      },
    });
    await harness.create('a');
    await harness.advance(5);
    const { status } = await harness.object('a');
    expect(status).toMatchObject({ 'my-operator': { one: { success: true }, two: { retries: 1, message: 'wait' } } });
    await harness.advance(60);
    const { status: after, metadata } = await harness.object('a');
    expect(JSON.stringify(after ?? {})).not.toContain('started');
    expect(Object.keys(metadata.annotations!).toSorted()).toEqual([
      'my-op.example.com/diff-base',
      'my-op.example.com/kopf-managed',
    ]);
  });

  it('should mark objects whose handlers are done at once, as Kopf does', async () => {
    class Operator {
      @OnCreate(...KEX)
      create() {}
    }
    const harness = await OperatorHarness.start();
    const progressStorage = new AnnotationsProgressStorage({ prefix: 'my-op.example.com' });
    await harness.run(Operator, { persistence: { progressStorage } });
    await harness.create('a');
    await harness.advance(5);
    expect((await harness.object('a')).metadata.annotations).toEqual({
      [LAST_HANDLED]: expect.any(String),
      'my-op.example.com/kopf-managed': 'yes',
    });
  });

  it('should let two operators handle the same objects, each on its own', async () => {
    const called: string[] = [];
    const make = (prefix: string, finalizer: string) => {
      class Operator {
        @OnCreate(...KEX)
        one() {
          called.push(`${prefix} one`);
        }
        @OnCreate(...KEX)
        two() {
          called.push(`${prefix} two`);
        }
        @OnUpdate(...KEX)
        update() {
          called.push(`${prefix} update`);
        }
      }
      const persistence = {
        finalizer,
        progressStorage: new AnnotationsProgressStorage({ prefix }),
        diffbaseStorage: new AnnotationsDiffBaseStorage({ prefix }),
      };
      return [Operator, { persistence }] as const;
    };
    const harness = await OperatorHarness.start();
    await harness.run(...make('one.example.com', 'one.example.com/f'));
    await harness.run(...make('two.example.com', 'two.example.com/f'));
    await harness.create('a');
    await harness.advance(60);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(60);
    expect(called.toSorted()).toEqual([
      'one.example.com one',
      'one.example.com two',
      'one.example.com update',
      'two.example.com one',
      'two.example.com two',
      'two.example.com update',
    ]);
  });

  it('should make a smooth transition through storing in two places, without handling anything again', async () => {
    const calls = new Calls();
    const older = new AnnotationsDiffBaseStorage();
    const newer = new StatusDiffBaseStorage({ field: 'status.diff-base' });
    const harness = await OperatorHarness.start();
    const runWith = (diffbaseStorage: DiffBaseStorage) =>
      harness.run(counting(calls), { persistence: { diffbaseStorage } });
    await runWith(older);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await runWith(new MultiDiffBaseStorage([newer, older]));
    await harness.advance(5);
    await harness.patch('a', { metadata: { labels: { ping: 'pong' } } });
    await harness.advance(5);
    await harness.stop();
    await runWith(newer);
    await harness.advance(5);
    expect(calls.ids).toEqual(['create', 'update']);
  });

  it("should be the user's own ones, which keep the state outside of the cluster", async () => {
    const records = new Map<string, ProgressRecord>();
    const essences = new Map<string, Record<string, unknown>>();
    const keyOf = (key: string, { metadata }: KubeObject) => `${metadata.name}/${key}`;
    const progressStorage: ProgressStorage = {
      fetch: (key, body) => records.get(keyOf(key, body)),
      store: (key, record, body) => void records.set(keyOf(key, body), record),
      purge: (key, body) => void records.delete(keyOf(key, body)),
      touch: (value, _body, patch) => {
        if (value) patch.metadata.annotations['example.com/touched'] = value;
      },
      clear: (essence) => essence,
    };
    const base = new AnnotationsDiffBaseStorage({ ignoredFields: ['metadata.annotations'] });
    const diffbaseStorage: DiffBaseStorage = {
      build: (body, extraFields) => base.build(body, extraFields),
      fetch: ({ metadata }) => essences.get(metadata.name!),
      store: ({ metadata }, _patch, essence) => void essences.set(metadata.name!, essence),
    };
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        calls.add('create', context);
        if (context.retry === 0) throw new TemporaryError('wait', { delay: 3 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { persistence: { progressStorage, diffbaseStorage } });
    await harness.create('a');
    await harness.advance(60);
    expect(calls.all.map(({ retry }) => retry)).toEqual([0, 1]);
    expect([...records.keys()]).toEqual([]);
    expect(essences.get('a')).toEqual({ spec: { field: 'v1' } });
    expect(Object.keys((await harness.object('a')).metadata.annotations!)).toEqual(['example.com/touched']);
  });
});

describe('Stored state', () => {
  it.each([
    ['no JSON', '{'],
    ['no object', '"text"'],
    ['strange members', '{"started":"yesterday","retries":"many","success":"yes","delayed":7,"subrefs":"x"}'],
    ['a purpose that is no text', '{"purpose":5,"message":{}}'],
    ['an unknown purpose', '{"purpose":"constructor"}'],
  ])('should count as absent as far as it is unreadable: %s', async (_, text) => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.create('a', { spec: {}, metadata: { annotations: { 'kopf.zalando.org/create': text } } });
    await harness.run(counting(calls));
    await harness.advance(60);
    expect(calls.all).toEqual([{ id: 'create', name: 'a', reason: 'create', retry: 0 }]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it.each(['{', '[]', 'null'])('should count as absent if the essence is unreadable: %s', async (text) => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.create('a', { spec: {}, metadata: { annotations: { [LAST_HANDLED]: text } } });
    await harness.run(counting(calls));
    await harness.advance(60);
    expect(calls.ids).toEqual(['create']);
  });

  it('should be taken over from Kopf, with timestamps without a time zone as in older versions', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      done() {
        seen.push('done');
      }
      @OnCreate(...KEX)
      waiting({ retry, started }: ChangeContext) {
        seen.push([retry, started.toISOString(), harness.clock.now()]);
      }
    }
    const harness = await OperatorHarness.start();
    const delayed = new Date(harness.clock.now() + 30_000).toISOString().slice(0, -1);
    await harness.create('a', {
      spec: {},
      metadata: {
        annotations: {
          'kopf.zalando.org/done':
            '{"started":"2020-12-31T23:59:00.123456","stopped":"2020-12-31T23:59:01.000000","purpose":"create","retries":1,"success":true,"failure":false}',
          'kopf.zalando.org/waiting': `{"started":"2020-12-31T23:59:00.123456","delayed":"${delayed}","purpose":"create","retries":4,"success":false,"failure":false,"message":"wait"}`,
        },
      },
    });
    await harness.run(Operator);
    const start = harness.clock.now();
    await harness.advance(60);
    expect(seen).toEqual([[4, '2020-12-31T23:59:00.123Z', expect.any(Number)]]);
    expect((seen[0] as number[])[2] - start).toBeGreaterThan(28_000);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });
});

describe('State in the status', () => {
  const inFields = (progress: string, last: string) => ({
    progressStorage: new StatusProgressStorage({ field: progress }),
    diffbaseStorage: new StatusDiffBaseStorage({ field: last }),
  });
  const named = (name: string) => ({
    progressStorage: new StatusProgressStorage({ name }),
    diffbaseStorage: new StatusDiffBaseStorage({ name }),
  });
  const doubled = (name: string) => ({
    progressStorage: new MultiProgressStorage([
      new StatusProgressStorage({ name }),
      new AnnotationsProgressStorage({ prefix: `${name}.example.com` }),
    ]),
    diffbaseStorage: new MultiDiffBaseStorage([
      new StatusDiffBaseStorage({ name }),
      new AnnotationsDiffBaseStorage({ prefix: `${name}.example.com` }),
    ]),
  });
  const inAnnotations = (name: string) => ({
    progressStorage: new AnnotationsProgressStorage({ prefix: `${name}.example.com` }),
    diffbaseStorage: new AnnotationsDiffBaseStorage({ prefix: `${name}.example.com` }),
  });

  it.each([
    [
      'in fields of their own',
      inFields('status.a.progress', 'status.a.last'),
      inFields('status.b.records', 'status.b.x'),
    ],
    ['right in the status', inFields('status.aProgress', 'status.aLast'), inFields('status.bProgress', 'status.bLast')],
    ['under names', named('kopf'), named('other')],
    ['in several places', doubled('a'), doubled('b')],
    ['beside annotations', named('a'), inAnnotations('b')],
  ])('should not be taken for a change by another operator: %s', async (_, first, second) => {
    for (const spec of [{ field: 'v1' }, undefined]) {
      const calls = new Calls();
      const harness = await OperatorHarness.start({ statusSubresource: true });
      for (const [index, persistence] of [first, second].entries()) {
        class Operator {
          @OnCreate(...KEX)
          create({ retry }: ChangeContext) {
            if (retry === 0) throw new TemporaryError('wait', { delay: 1 });
          }
          @OnField(...KEX, { field: 'status' })
          follow(context: ChangeContext) {
            calls.add(`follow${index}`, context);
          }
        }
        await harness.run(Operator, { persistence: { ...persistence, finalizer: `op${index}.example.com/f` } });
      }
      await harness.create('a', { spec });
      await harness.advance(30);
      calls.take();
      await harness.send('PATCH', '/apis/kopf.dev/v1/namespaces/ns/kopfexamples/a/status', { status: { phase: 'x' } });
      await harness.advance(60);
      expect([...calls.ids].sort()).toEqual(['follow0', 'follow1']);
      expect(JSON.stringify(await harness.object('a')).length).toBeLessThan(3000);
    }
  });
});
