import {
  OnCreate,
  OnDelete,
  OnEvent,
  OnUpdate,
  PermanentError,
  PRESENT,
  TemporaryError,
  type ChangeContext,
  type EventContext,
} from 'nestjs-kopf';
import { Deferred } from 'kube-common';
import { Calls } from '../../support/operators/calls.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { recordingOperator } from './recording.operator.js';

const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';

describe('Handlers of deletions', () => {
  it('should hold the object by a finalizer until they have succeeded', async () => {
    const calls = new Calls();
    class Operator {
      @OnDelete(...KEX)
      release(context: ChangeContext) {
        calls.add('release', context);
        if (context.retry === 0) throw new TemporaryError('not yet', { delay: 10 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    expect((await harness.object('a')).metadata.finalizers).toEqual([FINALIZER]);
    await harness.delete('a');
    await harness.advance(9);
    expect(calls.ids).toEqual(['release']);
    expect(await harness.read('a')).toBeDefined();
    await harness.advance(2);
    expect(calls.ids).toEqual(['release', 'release']);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should not hold the object, nor be called, if they are optional', async () => {
    const calls = new Calls();
    class Operator {
      @OnDelete(...KEX, { optional: true })
      release(context: ChangeContext) {
        calls.add('release', context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    expect((await harness.object('a')).metadata.finalizers).toBeUndefined();
    await harness.delete('a');
    await harness.advance(5);
    expect(await harness.read('a')).toBeUndefined();
    expect(calls.ids).toEqual([]);
  });

  it.each([
    ['nothing holds the object', undefined],
    ['somebody else holds the object', ['example.com/other']],
  ])(
    'should be called once as well as possible if they are optional, and the setting says so, and %s',
    async (_, finalizers) => {
      const calls = new Calls();
      class Operator {
        @OnDelete(...KEX, { optional: true })
        release(context: ChangeContext) {
          calls.add('release', context);
          throw new Error('oops');
        }
      }
      const harness = await OperatorHarness.start();
      await harness.run(Operator, { deletion: { optionalHandlers: 'call' } });
      await harness.create('a', { spec: {}, metadata: { finalizers } });
      await harness.advance(5);
      await harness.delete('a');
      await harness.advance(5);
      if (finalizers) await harness.patch('a', { metadata: { finalizers: null } });
      await harness.advance(600);
      expect(await harness.read('a')).toBeUndefined();
      expect(calls.all).toEqual([{ id: 'release', name: 'a', reason: 'delete', retry: 0 }]);
      expect(harness.logger.messages('error')).toEqual([
        "[ns/a] Handler 'release' failed with an exception and will stop now: oops",
      ]);
    },
  );

  it('should be called together with mandatory ones while these hold the object, and not again when it has gone', async () => {
    const calls = new Calls();
    class Operator {
      @OnDelete(...KEX)
      mandatory(context: ChangeContext) {
        calls.add('mandatory', context);
      }
      @OnDelete(...KEX, { optional: true })
      optional(context: ChangeContext) {
        calls.add('optional', context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { deletion: { optionalHandlers: 'call' } });
    await harness.create('a');
    await harness.advance(5);
    await harness.delete('a');
    await harness.advance(5);
    expect(calls.ids).toEqual(['mandatory', 'optional']);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should release the object when one has failed for good', async () => {
    class Operator {
      @OnDelete(...KEX)
      release() {
        throw new PermanentError('never');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(5);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should keep the object when one has failed for good, without repetitions, if the setting says so', async () => {
    const calls = new Calls();
    class Operator {
      @OnDelete(...KEX)
      release(context: ChangeContext) {
        calls.add('release', context);
        throw new PermanentError('never');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { deletion: { permanentErrors: 'block' } });
    await harness.create('a');
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(60);
    await harness.patch('a', { status: { seen: true } });
    await harness.advance(60);
    expect(calls.ids).toEqual(['release']);
    expect((await harness.object('a')).metadata.finalizers).toEqual([FINALIZER]);
    expect(harness.logger.messages('warn')).toContain(
      '[ns/a] The deletion is blocked, as 1 of its handlers have failed for good.',
    );
    // Also the next operator knows that the handler has failed.
    await harness.stop();
    await harness.run(Operator, { deletion: { permanentErrors: 'block' } });
    await harness.advance(60);
    expect(calls.ids).toEqual(['release']);
  });

  it('should not be called for an object that is being deleted already and was never held', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.create('a', { spec: {}, metadata: { finalizers: ['example.com/other'] } });
    await harness.delete('a');
    await harness.run(recordingOperator(calls));
    await harness.advance(5);
    expect(calls.ids).toEqual([]);
    expect(harness.writes).toEqual([]);
  });
});

describe('An object that is known to be gone while older events of it wait', () => {
  async function arrange() {
    const calls = new Calls();
    const creation = new Deferred<void>();
    class Operator {
      @OnCreate(...KEX)
      async create(context: ChangeContext) {
        calls.add('create', context);
        await creation.promise;
      }
      @OnDelete(...KEX, { labels: { hold: PRESENT } })
      release(context: ChangeContext) {
        calls.add('release', context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    return { calls, creation, harness };
  }

  it('should not be created once more', async () => {
    const { calls, creation, harness } = await arrange();
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.delete('a');
    await harness.advance(1);
    creation.resolve();
    await harness.advance(60);
    expect(calls.ids).toEqual(['create']);
  });

  it('should have its deletion handled all the same', async () => {
    const { calls, creation, harness } = await arrange();
    await harness.create('a', { spec: {}, metadata: { labels: { hold: 'yes' } } });
    await harness.advance(1);
    await harness.delete('a');
    await harness.patch('a', { metadata: { finalizers: null } });
    await harness.advance(1);
    creation.resolve();
    await harness.advance(60);
    expect(calls.ids).toEqual(['create', 'release']);
  });
});

describe('An object that goes while a handler of events runs', () => {
  it('should have the update handled that the operator has seen, as in Kopf', async () => {
    const calls = new Calls();
    const event = new Deferred<void>();
    class Operator {
      @OnEvent(...KEX)
      async watch({ type, spec }: EventContext) {
        if (type === 'MODIFIED' && spec.field === 'v2') await event.promise;
      }
      @OnUpdate(...KEX)
      update(context: ChangeContext) {
        calls.add('update', context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { field: 'v1' } });
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(1);
    event.resolve();
    await harness.advance(60);
    expect(calls.ids).toEqual(['update']);
  });
});

describe('The finalizer', () => {
  it('should be removed as soon as no handler requires it, and added again', async () => {
    class Operator {
      @OnDelete(...KEX, { labels: { hold: PRESENT } })
      release() {}
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: {}, metadata: { labels: { hold: 'yes' } } });
    await harness.advance(5);
    expect((await harness.object('a')).metadata.finalizers).toEqual([FINALIZER]);
    await harness.patch('a', { metadata: { labels: { hold: null } } });
    await harness.advance(5);
    expect((await harness.object('a')).metadata.finalizers).toBeUndefined();
    await harness.patch('a', { metadata: { labels: { hold: 'again' } } });
    await harness.advance(5);
    expect((await harness.object('a')).metadata.finalizers).toEqual([FINALIZER]);
  });

  it("should leave other controllers' finalizers where they are", async () => {
    const others = ['example.com/one', 'example.com/two'];
    class Operator {
      @OnDelete(...KEX)
      release() {}
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { persistence: { finalizer: 'my-operator.example.com/hold' } });
    await harness.create('a', { spec: {}, metadata: { finalizers: others } });
    await harness.advance(5);
    expect((await harness.object('a')).metadata.finalizers).toEqual([...others, 'my-operator.example.com/hold']);
    await harness.delete('a');
    await harness.advance(5);
    expect((await harness.object('a')).metadata.finalizers).toEqual(others);
  });
});
