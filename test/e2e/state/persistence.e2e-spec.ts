import { OnCreate, OnResume, OnUpdate, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import { AnnotationsDiffBaseStorage, type DiffBaseStorage } from 'nestjs-kopf/storages';
import { Calls } from '../../support/operators/calls.js';
import { counting } from './counting.operator.js';
import { KEX, OperatorHarness, errorResponse } from '../../support/operators/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

const LOST = 'Another client has removed the last handled configuration from the object.';

/** More than fits into all annotations of an object. */
const LARGE = 'x'.repeat(300_000);

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

describe('Progress that somebody removes', () => {
  const PROGRESS = 'Another client has removed the progress of handlers from the object.';

  /** Handles an object whose annotations another controller removes as often as they come, up to a limit. */
  async function handleStripped(lostEssence: 'create' | 'recall'): Promise<{ calls: Calls; harness: OperatorHarness }> {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    class Operator {
      @OnCreate(...KEX)
      steps(context: ChangeContext) {
        calls.add('steps', context);
        context.subhandler('first', (inner) => calls.add('first', inner));
        context.subhandler('second', (inner) => {
          calls.add('second', inner);
          if (inner.retry < 2) throw new TemporaryError('Not yet.', { delay: 10 });
        });
      }
      @OnCreate(...KEX, { retries: 3 })
      fail(context: ChangeContext) {
        calls.add('fail', context);
        throw new TemporaryError('Never.', { delay: 10 });
      }
    }
    await harness.run(Operator, { persistence: { lostEssence } });
    await harness.create('a');
    for (let time = 0; time < 60; time++) {
      await harness.advance(1);
      const annotations = Object.fromEntries((await harness.marks('a')).map((name) => [name, null]));
      await harness.patch('a', { metadata: { annotations } });
    }
    await harness.advance(5);
    return { calls, harness };
  }

  it('should be reported once, and the handlers be called anew', async () => {
    const { calls, harness } = await handleStripped('create');
    expect(calls.count('fail')).toBeGreaterThan(10);
    const reports = harness.logger.messages('warn').filter((message) => message.includes(PROGRESS));
    expect(reports).toEqual([`[ns/a] ${PROGRESS} They are called anew.`]);
  });

  it('should be recalled from memory if the settings say so, with the attempts and the delays', async () => {
    const { calls, harness } = await handleStripped('recall');
    expect([calls.count('first'), calls.count('second'), calls.count('fail')]).toEqual([1, 3, 3]);
    expect(calls.all.filter(({ id }) => id === 'fail').map(({ retry }) => retry)).toEqual([0, 1, 2]);
    expect(harness.logger.messages('warn')).toEqual([
      `[ns/a] ${PROGRESS} It is recalled from memory.`,
      `[ns/a] ${LOST} It is recalled from memory.`,
    ]);
  });

  it('should not be recalled if the cluster has not taken it: what the handler did is lost with it', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    // Once with everything, and once by itself, which shows that it is the result that is not accepted.
    let rejections = 2;
    class Operator {
      @OnCreate(...KEX)
      one(context: ChangeContext) {
        calls.add('one', context);
        return 'done';
      }
      @OnCreate(...KEX)
      two() {}
    }
    await harness.run(Operator, {
      persistence: { lostEssence: 'recall' },
      intercept: ({ method }) => {
        if (method !== 'PATCH' || rejections-- <= 0) return undefined;
        return errorResponse(400, 'BadRequest', 'not today');
      },
    });
    await harness.create('a');
    await harness.advance(60);
    expect(calls.ids).toEqual(['one', 'one']);
    expect((await harness.object('a')).status).toEqual({ one: 'done' });
    expect(harness.logger.messages('warn')).toEqual([]);
  });

  it('should not be recalled after a pause, as another operator can have finished it', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    class Operator {
      @OnCreate(...KEX)
      @OnUpdate(...KEX)
      one(context: ChangeContext) {
        calls.add('one', context);
      }
      @OnCreate(...KEX)
      two() {
        throw new TemporaryError('Later.', { delay: 1000 });
      }
    }
    const operator = await harness.run(Operator, { persistence: { lostEssence: 'recall' } });
    await harness.create('a');
    await harness.advance(5);
    operator.pause('for a test');
    await harness.advance(5);
    const annotations = Object.fromEntries((await harness.marks('a')).map((name) => [name, null]));
    const essence = JSON.stringify({ spec: { field: 'v1' } });
    await harness.patch('a', { metadata: { annotations: { ...annotations, [LAST_HANDLED]: essence } } });
    await harness.patch('a', { spec: { field: 'v2' } });
    operator.resume();
    await harness.advance(5);
    expect(calls.all.map(({ reason }) => reason)).toEqual(['create', 'update']);
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

describe('Progress that came with a copy of another object', () => {
  async function copy(detectCopies: boolean): Promise<string[]> {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      steps(context: ChangeContext) {
        context.subhandler('first', (inner) => calls.add('first', inner));
        context.subhandler('second', (inner) => {
          calls.add('second', inner);
          if (inner.name === 'a') throw new TemporaryError('Not yet.', { delay: 1000 });
          if (inner.retry === 0) throw new TemporaryError('Not yet.', { delay: 1 });
        });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, {
      persistence: { diffbaseStorage: new AnnotationsDiffBaseStorage({ detectCopies }) },
    });
    await harness.create('a');
    await harness.advance(5);
    const { annotations } = (await harness.object('a')).metadata;
    await harness.create('b', { spec: { field: 'v1' }, metadata: { annotations } });
    await harness.advance(30);
    return calls.all.filter(({ name }) => name === 'b').map(({ id, retry }) => `${id} ${retry}`);
  }

  it('should count by default, as in Kopf', async () => {
    expect(await copy(false)).toEqual([]);
  });

  it('should not count if the storage detects copies', async () => {
    expect(await copy(true)).toEqual(['first 0', 'second 0', 'second 1']);
  });

  it('should not count together with an essence, while the creation takes several cycles', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        calls.add(`create ${context.name}`, context);
        if (context.name === 'b' && context.retry === 0) throw new TemporaryError('Not yet.', { delay: 1 });
      }
      @OnUpdate(...KEX)
      update({ name }: ChangeContext) {
        if (name === 'a') throw new TemporaryError('Not yet.', { delay: 1000 });
      }
    }
    const harness = await OperatorHarness.start();
    const diffbaseStorage = new AnnotationsDiffBaseStorage({ detectCopies: true });
    await harness.run(Operator, { persistence: { diffbaseStorage } });
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(5);
    const { annotations } = (await harness.object('a')).metadata;
    expect(Object.keys(annotations!)).toHaveLength(3);
    await harness.create('b', { spec: { field: 'v1' }, metadata: { annotations } });
    await harness.advance(30);
    expect(calls.ids).toEqual(['create a', 'create b', 'create b']);
    const { metadata } = await harness.object('b');
    expect(metadata.annotations).toEqual({
      [LAST_HANDLED]: '{"spec":{"field":"v1"}}\n',
      [`${LAST_HANDLED}-uid`]: metadata.uid,
    });
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
