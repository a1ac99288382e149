import {
  OnCreate,
  OnDelete,
  OnEvent,
  OnUpdate,
  TemporaryError,
  type ChangeContext,
  type KopfModuleOptions,
} from 'nestjs-kopf';
import {
  AnnotationsDiffBaseStorage,
  AnnotationsProgressStorage,
  DigestDiffBaseStorage,
  MultiDiffBaseStorage,
  StatusDiffBaseStorage,
} from 'nestjs-kopf/storages';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const KOPF_FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';

/** The names of the operator: those of its annotations, and that of its finalizer. */
function named(prefix: string, formerPrefixes?: readonly string[], more = {}): KopfModuleOptions {
  return {
    persistence: {
      finalizer: `${prefix}/finalizer`,
      ...(formerPrefixes && {
        formerFinalizers: formerPrefixes.map((former) =>
          former === 'kopf.zalando.org' ? KOPF_FINALIZER : `${former}/finalizer`,
        ),
      }),
      progressStorage: new AnnotationsProgressStorage({ prefix, formerPrefixes }),
      diffbaseStorage: new AnnotationsDiffBaseStorage({ prefix, formerPrefixes, ...more }),
    },
  };
}

describe('Former names of the finalizer and of annotations', () => {
  let harness: OperatorHarness;
  const calls: string[] = [];
  /** Makes the handlers fail for the time being. */
  let isFailing = false;

  class Operator {
    @OnCreate(...KEX)
    create({ name, retry }: ChangeContext) {
      calls.push(`create ${name} ${retry}`);
      if (isFailing) throw new TemporaryError('Later.', { delay: 10 });
    }
    @OnCreate(...KEX, { id: 'first' })
    first({ name }: ChangeContext) {
      calls.push(`first ${name}`);
    }
    @OnUpdate(...KEX)
    update({ name, diff }: ChangeContext) {
      calls.push(`update ${name} ${JSON.stringify(diff)}`);
    }
    @OnDelete(...KEX)
    remove({ name, retry }: ChangeContext) {
      calls.push(`remove ${name} ${retry}`);
      if (isFailing) throw new TemporaryError('Later.', { delay: 10 });
    }
  }

  const annotationsOf = async (name: string) => (await harness.object(name)).metadata.annotations ?? {};
  const prefixesOf = async (name: string): Promise<string[]> => [
    ...new Set(Object.keys(await annotationsOf(name)).map((key) => key.split('/')[0])),
  ];
  const finalizersOf = async (name: string) => (await harness.object(name)).metadata.finalizers;

  beforeEach(async () => {
    calls.length = 0;
    isFailing = false;
    harness = await OperatorHarness.start();
  });

  async function runOnce(options?: KopfModuleOptions): Promise<void> {
    await harness.run(Operator, options);
    await harness.create('a');
    await harness.advance(1);
    await harness.stop();
    calls.length = 0;
  }

  it.each<[string, KopfModuleOptions | undefined, string]>([
    ['its own ones', named('old.example.com'), 'old.example.com'],
    ["Kopf's", undefined, 'kopf.zalando.org'],
  ])('should be taken off, if they were %s, without calling any handler', async (_what, before, former) => {
    await runOnce(before);
    expect(await prefixesOf('a')).toEqual([former]);
    await harness.run(Operator, named('new.example.com', [former]));
    await harness.advance(1);
    expect(calls).toEqual([]);
    expect(await prefixesOf('a')).toEqual(['new.example.com']);
    expect(await finalizersOf('a')).toEqual(['new.example.com/finalizer']);
    await harness.advance(3600);
    const writes = harness.patchesOf('a').length;
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    expect(calls).toEqual(['update a [["change",["spec","field"],"v1","v2"]]']);
    expect(harness.patchesOf('a').length).toBe(writes + 1);
    await harness.delete('a');
    await harness.advance(1);
    expect(calls.slice(1)).toEqual(['remove a 0']);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should give the difference to what was handled under them', async () => {
    await runOnce(named('old.example.com'));
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.run(Operator, named('new.example.com', ['older.example.com', 'old.example.com']));
    await harness.advance(1);
    expect(calls).toEqual(['update a [["change",["spec","field"],"v1","v2"]]']);
    expect(await prefixesOf('a')).toEqual(['new.example.com']);
  });

  it('should let handling go on where it was', async () => {
    isFailing = true;
    await harness.run(Operator, named('old.example.com'));
    await harness.create('a');
    await harness.advance(15);
    await harness.stop();
    expect(calls.splice(0)).toEqual(['create a 0', 'first a', 'create a 1']);
    await harness.run(Operator, named('new.example.com', ['old.example.com']));
    await harness.advance(8);
    expect(calls.splice(0)).toEqual(['create a 2']);
    isFailing = false;
    await harness.stop();
    // Back again: the former names change places.
    await harness.run(Operator, named('old.example.com', ['new.example.com']));
    await harness.advance(60);
    expect(calls).toEqual(['create a 3']);
    expect(await prefixesOf('a')).toEqual(['old.example.com']);
  });

  it('should have deletions handled that were held by them, with the attempts counted', async () => {
    await runOnce();
    await harness.delete('a');
    const options = named('new.example.com', ['kopf.zalando.org']);
    isFailing = true;
    await harness.run(Operator, options);
    await harness.advance(1);
    expect(calls).toEqual(['remove a 0']);
    await harness.stop();
    isFailing = false;
    await harness.run(Operator, options);
    await harness.advance(30);
    expect(calls).toEqual(['remove a 0', 'remove a 1']);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should be taken off objects that nothing holds any more', async () => {
    class Watching {
      @OnEvent(...KEX)
      see() {}
    }
    await runOnce();
    await harness.create('other', { metadata: { finalizers: ['old.example.com/finalizer', 'example.com/other'] } });
    await harness.run(Watching, named('new.example.com', ['kopf.zalando.org', 'old.example.com']));
    await harness.advance(1);
    expect(await finalizersOf('a')).toBeUndefined();
    expect(await finalizersOf('other')).toEqual(['example.com/other']);
  });

  it('should not make annotations of others count that are under them', async () => {
    await runOnce(named('old.example.com'));
    await harness.patch('a', { metadata: { annotations: { 'old.example.com/note': 'of a user' } } });
    await harness.run(Operator, named('new.example.com', ['old.example.com']));
    await harness.advance(1);
    await harness.stop();
    // The mark is left, so that operators without the former prefix do not take the annotation for essential.
    await harness.run(Operator, named('new.example.com'));
    await harness.advance(1);
    expect(calls).toEqual([]);
    const { 'old.example.com/note': note, 'old.example.com/kopf-managed': mark } = await annotationsOf('a');
    expect({ note, mark }).toEqual({ note: 'of a user', mark: 'yes' });
  });

  it('should be known to storages that are made of others, and to those that detect copies', async () => {
    await runOnce(named('old.example.com', undefined, { detectCopies: true }));
    const { persistence } = named('new.example.com', ['old.example.com'], { detectCopies: true });
    const digests = new DigestDiffBaseStorage(persistence!.diffbaseStorage!, {
      keys: ['0123456789abcdef'],
      fields: [],
    });
    const diffbaseStorage = new MultiDiffBaseStorage([digests, new StatusDiffBaseStorage()]);
    await harness.run(Operator, { persistence: { ...persistence, diffbaseStorage } });
    await harness.advance(1);
    expect(calls).toEqual([]);
    expect(Object.keys(await annotationsOf('a')).sort()).toEqual([
      'new.example.com/kopf-managed',
      'new.example.com/last-handled-configuration',
      'new.example.com/last-handled-configuration-uid',
    ]);
  });

  it('should be refused if they are empty, or are in use', async () => {
    await expect(harness.run(Operator, { persistence: { formerFinalizers: [''] } })).rejects.toThrow(
      'persistence.formerFinalizers',
    );
    expect(() => new AnnotationsProgressStorage({ formerPrefixes: [''] })).toThrow('needs a prefix');
    expect(() => new AnnotationsDiffBaseStorage({ formerPrefixes: ['kopf.zalando.org'] })).toThrow(
      'The prefix kopf.zalando.org is not a former one.',
    );
  });
});
