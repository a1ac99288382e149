import {
  KopfBootstrapError,
  OnCreate,
  OnDelete,
  OnField,
  OnResume,
  OnUpdate,
  TemporaryError,
  type ChangeContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const ID = { id: 'fn' };

describe('Methods with one id that are called for different changes', () => {
  let calls: string[];
  let harness: OperatorHarness;

  beforeEach(async () => {
    calls = [];
    harness = await OperatorHarness.start();
  });

  function note(name: string, { retry, reason }: ChangeContext): void {
    calls.push(`${name} ${reason} ${retry}`);
  }

  /** Fails at its first attempts, and has a companion whose attempts go on, so that the creation is not over. */
  class Operator {
    static failures = 0;

    @OnCreate(...KEX, { ...ID, backoff: 10 })
    create(context: ChangeContext) {
      note('create', context);
      if (context.retry < Operator.failures) throw new TemporaryError('not yet', { delay: 10 });
      return 'created';
    }

    @OnUpdate(...KEX, ID)
    update(context: ChangeContext) {
      note('update', context);
      return 'updated';
    }

    @OnDelete(...KEX, ID)
    remove(context: ChangeContext) {
      note('remove', context);
    }

    @OnResume(...KEX, { id: 'resumed' })
    resume(context: ChangeContext) {
      note('resume', context);
    }

    @OnCreate(...KEX, { id: 'resumed' })
    begin(context: ChangeContext) {
      note('begin', context);
    }
  }

  class Waiting {
    @OnCreate(...KEX, { labels: { waits: 'yes' } })
    wait() {
      throw new TemporaryError('for ever', { delay: 1000 });
    }
  }

  it('should be called each for its own', async () => {
    Operator.failures = 0;
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    expect(calls.splice(0)).toEqual(['create create 0', 'begin create 0']);
    expect((await harness.object('a')).status).toEqual({ fn: 'created' });
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    expect(calls.splice(0)).toEqual(['update update 0']);
    await harness.stop();
    await harness.run(Operator);
    await harness.advance(1);
    expect(calls.splice(0)).toEqual(['resume resume 0']);
    await harness.delete('a');
    await harness.advance(1);
    expect(calls).toEqual(['remove delete 0']);
    expect(await harness.read('a')).toBeUndefined();
    expect(harness.logger.messages('warn')).toEqual([]);
  });

  it('should not count attempts of each other', async () => {
    Operator.failures = 5;
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(25);
    expect(calls.splice(0)).toEqual(['create create 0', 'begin create 0', 'create create 1', 'create create 2']);
    await harness.delete('a');
    await harness.advance(1);
    expect(calls).toEqual(['remove delete 0']);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should not be taken as done because the other one has succeeded', async () => {
    Operator.failures = 0;
    await harness.run([Operator, Waiting]);
    await harness.create('a', { metadata: { labels: { waits: 'yes' } }, spec: {} });
    await harness.advance(1);
    expect(calls.splice(0)).toEqual(['create create 0', 'begin create 0']);
    await harness.delete('a');
    await harness.advance(1);
    expect(calls).toEqual(['remove delete 0']);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should not take over the record that Kopf has stored for the other one', async () => {
    Operator.failures = 0;
    const records = {
      'kopf.zalando.org/fn':
        '{"started":"2020-01-01T00:00:00.000000+00:00","stopped":"2020-01-01T00:00:01.000000+00:00","purpose":"create","retries":3,"success":true,"failure":false,"subrefs":["fn/sub"]}',
      'kopf.zalando.org/fn.sub':
        '{"started":"2020-01-01T00:00:00.000000+00:00","purpose":"create","retries":1,"success":true,"failure":false}',
    };
    await harness.create('a', {
      metadata: { annotations: records, finalizers: ['kopf.zalando.org/KopfFinalizerMarker', 'example.com/other'] },
      spec: {},
    });
    await harness.delete('a');
    await harness.run(Operator);
    await harness.advance(1);
    expect(calls).toEqual(['remove delete 0']);
    expect(await harness.marks('a')).not.toContain('kopf.zalando.org/fn');
    expect(await harness.marks('a')).not.toContain('kopf.zalando.org/fn.sub');
    expect((await harness.object('a')).metadata.finalizers).toEqual(['example.com/other']);
  });

  it('should go on with its own record', async () => {
    Operator.failures = 4;
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(15);
    await harness.stop();
    expect(calls.splice(0)).toEqual(['create create 0', 'begin create 0', 'create create 1']);
    await harness.run(Operator);
    await harness.advance(10);
    expect(calls[0]).toBe('create create 2');
  });

  type Decorate = MethodDecorator;
  const pairs: Record<string, [one: Decorate, other: Decorate, isAllowed: boolean]> = {
    'a creation and an update': [OnCreate(...KEX, ID) as Decorate, OnUpdate(...KEX, ID) as Decorate, true],
    'an update and a deletion': [OnUpdate(...KEX, ID) as Decorate, OnDelete(...KEX, ID) as Decorate, true],
    'a creation and a resumption': [OnCreate(...KEX, ID) as Decorate, OnResume(...KEX, ID) as Decorate, true],
    'a deletion and a resumption': [OnDelete(...KEX, ID) as Decorate, OnResume(...KEX, ID) as Decorate, true],
    'a deletion and a resumption of objects that are being deleted': [
      OnDelete(...KEX, ID) as Decorate,
      OnResume(...KEX, { ...ID, deleted: true }) as Decorate,
      false,
    ],
    'an update and a resumption': [OnUpdate(...KEX, ID) as Decorate, OnResume(...KEX, ID) as Decorate, false],
    'two creations': [OnCreate(...KEX, ID) as Decorate, OnCreate(...KEX, ID) as Decorate, false],
    'two creations of different objects': [
      OnCreate(...KEX, { ...ID, labels: { a: 'b' } }) as Decorate,
      OnCreate(...KEX, ID) as Decorate,
      false,
    ],
    'a field and a creation with the field': [
      OnField(...KEX, { ...ID, field: 'spec.a' }) as Decorate,
      OnCreate(...KEX, { ...ID, field: 'spec.a' }) as Decorate,
      false,
    ],
    'a creation and an update with a field': [
      OnCreate(...KEX, { ...ID, field: 'spec.a' }) as Decorate,
      OnUpdate(...KEX, { ...ID, field: 'spec.a' }) as Decorate,
      true,
    ],
  };

  it.each(Object.keys(pairs))(
    'should be an error at the start only if both can be called for one change: %s',
    async (name) => {
      const [one, other, isAllowed] = pairs[name];
      class Pair {
        @one
        first() {}

        @other
        second() {}
      }
      if (isAllowed) await harness.run(Pair);
      else await expect(harness.run(Pair)).rejects.toThrow(KopfBootstrapError);
      if (!isAllowed) return;
      expect(harness.logger.messages('warn')).toEqual([]);
    },
  );

  it('should be an error if one of several decorators can be called for the same change', async () => {
    class Stacked {
      @OnCreate(...KEX, ID)
      @OnUpdate(...KEX, ID)
      both() {}

      @OnDelete(...KEX, ID)
      remove() {}

      @OnUpdate(...KEX, ID)
      again() {}
    }
    await expect(harness.run(Stacked)).rejects.toThrow(/Stacked\.both and Stacked\.again are both handlers 'fn'/);
  });

  it('should be a warning for selectors that mean the same resource only if both can be called for one change', async () => {
    class Apart {
      @OnCreate(...KEX, ID)
      create() {}

      @OnDelete('kopfexamples', ID)
      remove() {}

      @OnCreate(...KEX, { id: 'twice' })
      one() {}

      @OnCreate('kopfexamples', { id: 'twice' })
      other() {}
    }
    await harness.run(Apart);
    expect(harness.logger.messages('warn')).toEqual([
      expect.stringMatching(/^Apart\.one and Apart\.other are all handlers 'twice'/),
    ]);
  });
});
