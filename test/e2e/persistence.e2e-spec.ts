import { AnnotationsDiffBaseStorage, OnCreate, OnResume, type ChangeContext, type DiffBaseStorage } from 'nestjs-kopf';
import { Calls } from '../support/calls.js';
import { counting } from '../support/counting.operator.js';
import { KEX, OperatorHarness } from '../support/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

const LOST = 'Somebody has removed the last handled configuration from the object.';

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
