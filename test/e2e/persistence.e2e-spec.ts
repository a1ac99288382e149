import {
  AnnotationsDiffBaseStorage,
  AnnotationsProgressStorage,
  MultiDiffBaseStorage,
  OnCreate,
  OnResume,
  OnUpdate,
  StatusDiffBaseStorage,
  StatusProgressStorage,
  TemporaryError,
  type ChangeContext,
  type DiffBaseStorage,
  type KubeObject,
  type ProgressRecord,
  type ProgressStorage,
} from 'nestjs-kopf';
import { Calls } from '../support/calls.js';
import { KEX, OperatorHarness } from '../support/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';
const LOST = 'Somebody has removed the last handled configuration from the object.';
/** More than fits into all annotations of an object. */
const LARGE = 'x'.repeat(300_000);

function counting(calls: Calls) {
  class Counting {
    @OnCreate(...KEX)
    create(context: ChangeContext) {
      calls.add('create', context);
    }
    @OnUpdate(...KEX)
    update(context: ChangeContext) {
      calls.add('update', context);
      return { seen: context.diff.map(([operation, path]) => `${operation} ${path.join('.')}`) };
    }
  }
  return Counting;
}

describe('An essence beyond the limit of annotations', () => {
  it('should not stop the operator, nor lead to a loop, and be told by a log line and an event', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(counting(calls));
    await harness.create('a', { spec: { large: LARGE } });
    await harness.advance(60);
    expect(calls.take()).toEqual(['create']);
    expect(harness.logger.messages('error')).toEqual([
      expect.stringContaining('[ns/a] The object is handled, but this cannot be remembered: The essence does not fit'),
    ]);
    const [event] = await harness.events();
    expect(event).toMatchObject({ type: 'Error', reason: 'EssenceTooLarge', involvedObject: { name: 'a' } });
    // Changes are still noticed, those of the status are still ignored.
    await harness.patch('a', { status: { phase: 'x' } });
    await harness.advance(60);
    expect(calls.take()).toEqual([]);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(60);
    expect(calls.take()).toEqual(['update']);
    expect((await harness.object('a')).status!.update).toEqual({ seen: ['add spec.field'] });
  });

  it('should not lead to a loop if a smaller one was stored before, and be stored again when it fits', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(counting(calls));
    await harness.create('a');
    await harness.advance(5);
    calls.take();
    await harness.patch('a', { spec: { large: LARGE } });
    await harness.advance(60);
    await harness.patch('a', { status: { phase: 'x' } });
    await harness.advance(60);
    expect(calls.take()).toEqual(['update']);
    await harness.patch('a', { spec: { large: null, field: 'v2' } });
    await harness.advance(60);
    expect(calls.take()).toEqual(['update']);
    const { metadata, status } = await harness.object('a');
    expect(JSON.parse(metadata.annotations![LAST_HANDLED])).toEqual({ spec: { field: 'v2' } });
    expect(status!.update.seen.toSorted()).toEqual(['change spec.field', 'remove spec.large']);
  });

  it('should be stored as a hash if the storage is told so: changes are noticed over restarts, but not which ones', async () => {
    const calls = new Calls();
    const options = { persistence: { diffbaseStorage: new AnnotationsDiffBaseStorage({ oversize: 'hash' }) } };
    const harness = await OperatorHarness.start();
    await harness.run(counting(calls), options);
    await harness.create('a', { spec: { large: LARGE } });
    await harness.advance(60);
    expect(calls.take()).toEqual(['create']);
    await harness.stop();
    await harness.run(counting(calls), options);
    await harness.advance(60);
    expect(calls.take()).toEqual([]);
    await harness.stop();
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.run(counting(calls), options);
    await harness.advance(60);
    expect(calls.take()).toEqual(['update']);
    expect((await harness.object('a')).status!.update).toEqual({ seen: ['add '] });
    expect(harness.logger.messages('error')).toEqual([]);
  });
});

describe('An essence that somebody removes', () => {
  const strip = (harness: OperatorHarness) =>
    harness.patch('a', { metadata: { annotations: { [LAST_HANDLED]: null } } });

  it('should make the object be created once more, and be reported once', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(counting(calls));
    await harness.create('a');
    await harness.advance(5);
    for (let time = 0; time < 3; time++) {
      await strip(harness);
      await harness.advance(5);
    }
    expect(calls.take()).toEqual(['create', 'create', 'create', 'create']);
    expect(harness.logger.messages('warn')).toEqual([`[ns/a] ${LOST} The object is handled as created once more.`]);
  });

  it('should be recalled from memory if the settings say so, so that only changes are handled', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(counting(calls), { persistence: { lostEssence: 'recall' } });
    await harness.create('a');
    await harness.advance(5);
    for (let time = 0; time < 3; time++) {
      await strip(harness);
      await harness.advance(5);
    }
    expect(calls.take()).toEqual(['create']);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(5);
    await strip(harness);
    await harness.advance(5);
    expect(calls.take()).toEqual(['update']);
    expect(harness.logger.messages('warn')).toEqual([`[ns/a] ${LOST} It is recalled from memory.`]);
  });

  it('should be recalled also of objects that an earlier operator has handled', async () => {
    const calls = new Calls();
    const options = { persistence: { lostEssence: 'recall' } } as const;
    const harness = await OperatorHarness.start();
    await harness.run(counting(calls), options);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.run(counting(calls), options);
    await harness.advance(5);
    await strip(harness);
    await harness.advance(5);
    expect(calls.take()).toEqual(['create']);
  });

  it('should be no reason to complain if an event is only older than the patch that stored it', async () => {
    const harness = await OperatorHarness.start();
    class Operator {
      @OnCreate(...KEX)
      async create() {
        await harness.patch('a', { status: { phase: 'x' } });
        await harness.patch('a', { status: { phase: 'y' } });
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(harness.logger.messages('warn')).toEqual([]);
  });
});

describe('An essence that came with a copy of another object', () => {
  async function copy(diffbaseStorage: DiffBaseStorage): Promise<string[]> {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(counting(calls), { persistence: { diffbaseStorage } });
    await harness.create('a');
    await harness.advance(5);
    const { annotations } = (await harness.object('a')).metadata;
    await harness.create('b', { spec: { field: 'v1' }, metadata: { annotations } });
    await harness.advance(5);
    return calls.all.map(({ id, name }) => `${id} ${name}`);
  }

  it('should suppress the creation by default, as in Kopf', async () => {
    expect(await copy(new AnnotationsDiffBaseStorage())).toEqual(['create a']);
  });

  it('should not suppress the creation if the storage detects copies', async () => {
    expect(await copy(new AnnotationsDiffBaseStorage({ detectCopies: true }))).toEqual(['create a', 'create b']);
  });
});

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

describe('Resuming', () => {
  it('should not be suppressed by a lost essence: the object is created again, not resumed', async () => {
    const calls = new Calls();
    class Operator {
      @OnResume(...KEX)
      resume(context: ChangeContext) {
        calls.add('resume', context);
      }
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        calls.add('create', context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.patch('a', { metadata: { annotations: { [LAST_HANDLED]: null } } });
    await harness.run(Operator);
    await harness.advance(5);
    expect(calls.ids).toEqual(['create', 'create']);
    expect(harness.logger.messages('warn')).toEqual([]);
  });
});
