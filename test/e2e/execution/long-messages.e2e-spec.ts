import { OnCreate, OnDelete, PermanentError, type ChangeContext } from 'nestjs-kopf';
import { AnnotationsDiffBaseStorage, StatusProgressStorage } from 'nestjs-kopf/storages';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

/** More than all annotations of an object can hold together. */
const LENGTH = 270_000;

describe('Errors with long messages', () => {
  it.each([
    ['letters', 'x'],
    ['letters that are escaped', 'ü'],
    ['line breaks', '\n'],
    ['pictures', '👍'],
  ])('should be retried as often as the handler says: %s', async (_, character) => {
    const retries: number[] = [];
    class Operator {
      @OnCreate(...KEX, { retries: 3, backoff: 60 })
      create({ retry }: ChangeContext) {
        retries.push(retry);
        throw new Error(character.repeat(LENGTH));
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(70);
    const { annotations } = (await harness.object('a')).metadata;
    const record = annotations!['kopf.zalando.org/create'];
    expect(record.length).toBeLessThan(1300);
    expect(JSON.parse(record).message).toMatch(/^.+\.\.\..+$/s);
    await harness.advance(3600);
    expect(retries).toEqual([0, 1, 2]);
    expect(await harness.marks('a')).toEqual(['kopf.zalando.org/last-handled-configuration']);
  });

  it('should not block deletions', async () => {
    const called: string[] = [];
    class Operator {
      @OnDelete(...KEX, { retries: 2, backoff: 60 })
      release() {
        called.push('release');
        throw new Error('x'.repeat(LENGTH));
      }
      @OnDelete(...KEX)
      fail() {
        called.push('fail');
        throw new PermanentError('x'.repeat(LENGTH));
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.delete('a');
    await harness.advance(3600);
    expect(called).toEqual(['release', 'fail', 'release']);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should be stored for many sub-handlers with long ids together, which have two annotations each', async () => {
    const called: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ subhandler }: ChangeContext) {
        for (let index = 0; index < 40; index++) {
          const id = `part-${index}-${'with-a-long-id'.repeat(5)}`;
          subhandler(
            id,
            () => {
              called.push(id);
              throw new Error('x'.repeat(LENGTH));
            },
            { retries: 2, backoff: 600 },
          );
        }
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(3600);
    expect(called).toHaveLength(80);
    expect(await harness.marks('a')).toEqual(['kopf.zalando.org/last-handled-configuration']);
  });

  it('should be cut in the status as well', async () => {
    class Operator {
      @OnCreate(...KEX)
      create() {
        throw new Error('x'.repeat(LENGTH));
      }
    }
    const harness = await OperatorHarness.start();
    const persistence = {
      progressStorage: new StatusProgressStorage(),
      diffbaseStorage: new AnnotationsDiffBaseStorage(),
    };
    await harness.run(Operator, { persistence });
    await harness.create('a');
    await harness.advance(5);
    const { message } = (await harness.object('a')).status!.kopf.progress.create;
    expect(message).toHaveLength(1023);
  });

  it('should be left alone where Kopf has stored them, as long as nothing else changes', async () => {
    const message = 'x'.repeat(20_000);
    const record = { started: '2020-01-01T00:00:00.000000+00:00', delayed: '2099-01-01T00:00:00.000000+00:00' };
    const other = JSON.stringify({ ...record, purpose: 'create', retries: 1, success: false, failure: false, message });
    class Operator {
      @OnCreate(...KEX)
      waiting() {}
      @OnCreate(...KEX)
      create() {
        throw new Error('again');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.create('a', { metadata: { annotations: { 'kopf.zalando.org/waiting': other } }, spec: {} });
    await harness.run(Operator);
    await harness.advance(5);
    const { annotations } = (await harness.object('a')).metadata;
    expect(annotations!['kopf.zalando.org/waiting']).toBe(other);
    expect(annotations!['kopf.zalando.org/create']).toContain('again');
  });
});
