import {
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnResume,
  OnUpdate,
  PermanentError,
  PRESENT,
  TemporaryError,
  type ChangeContext,
  type EventContext,
} from 'nestjs-kopf';
import { Calls } from '../support/calls.js';
import { KEX, OperatorHarness } from '../support/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';
const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';

/** An operator with a handler of each kind that takes note of its calls. */
function watchful(calls: Calls) {
  class Watchful {
    @OnCreate(...KEX)
    create(context: ChangeContext) {
      calls.add('create', context);
    }
    @OnUpdate(...KEX)
    update(context: ChangeContext) {
      calls.add('update', context);
    }
    @OnResume(...KEX)
    resume(context: ChangeContext) {
      calls.add('resume', context);
    }
    @OnDelete(...KEX)
    remove(context: ChangeContext) {
      calls.add('delete', context);
    }
  }
  return Watchful;
}

describe('Handlers of events', () => {
  it('should be called for every event, also for the first listing', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnEvent(...KEX)
      spy({ type, name }: EventContext) {
        seen.push([type, name]);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.create('before');
    await harness.run(Operator);
    await harness.create('after');
    await harness.patch('after', { status: { phase: 'x' } });
    await harness.delete('after');
    await harness.advance(1);
    expect(seen).toEqual([
      [null, 'before'],
      ['ADDED', 'after'],
      ['MODIFIED', 'after'],
      ['DELETED', 'after'],
    ]);
  });

  it('should store nothing with the object', async () => {
    class Operator {
      @OnEvent(...KEX)
      spy() {}
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    expect(harness.writes).toEqual([]);
    expect((await harness.object('a')).metadata.annotations).toBeUndefined();
  });

  it('should have their errors logged with the stack, and ignored', async () => {
    const calls = new Calls();
    class Operator {
      @OnEvent(...KEX)
      spy(context: EventContext) {
        calls.add('spy', context);
        throw new Error('oops');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(600);
    expect(calls.all).toEqual([{ id: 'spy', name: 'a', retry: 0 }]);
    const [line] = harness.logger.lines.filter(({ level }) => level === 'error');
    expect(line.message).toBe("[ns/a] Handler 'spy' failed with an exception and will ignore it: oops");
    expect(line.error).toBeInstanceOf(Error);
  });
});

describe('Handlers of changes', () => {
  it('should be called for what has happened to the object: a creation, a change, a deletion', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(watchful(calls));
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(5);
    await harness.delete('a');
    await harness.advance(5);
    expect(calls.all).toEqual([
      { id: 'create', name: 'a', reason: 'create', retry: 0 },
      { id: 'update', name: 'a', reason: 'update', retry: 0 },
      { id: 'delete', name: 'a', reason: 'delete', retry: 0 },
    ]);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should not be called when only the status or system fields have changed', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(watchful(calls));
    await harness.create('a');
    await harness.advance(5);
    calls.take();
    await harness.patch('a', { status: { phase: 'x' }, metadata: { finalizers: null } });
    await harness.advance(5);
    expect(calls.take()).toEqual([]);
  });

  it('should get the old and the new state and their differences', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ old, new: now, diff }: ChangeContext) {
        seen.push({ old, now, diff });
      }
      @OnUpdate(...KEX)
      update({ old, new: now, diff }: ChangeContext) {
        seen.push({ old, now, diff });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { field: 'v1', gone: 1 } });
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2', gone: null, come: true }, metadata: { labels: { l: 'x' } } });
    await harness.advance(5);
    const before = { spec: { field: 'v1', gone: 1 } };
    const after = { spec: { field: 'v2', come: true }, metadata: { labels: { l: 'x' } } };
    expect(seen).toEqual([
      { old: undefined, now: before, diff: [['add', [], null, before]] },
      {
        old: before,
        now: after,
        diff: expect.arrayContaining([
          ['change', ['spec', 'field'], 'v1', 'v2'],
          ['remove', ['spec', 'gone'], 1, null],
          ['add', ['spec', 'come'], null, true],
        ]),
      },
    ]);
  });

  it('should be called for an object from before the operator as for a new one, and not as for a resumed one', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.create('a');
    await harness.run(watchful(calls));
    await harness.advance(5);
    expect(calls.all).toEqual([{ id: 'create', name: 'a', reason: 'create', retry: 0 }]);
  });

  it('should be called one by one, those with the fewest retries first, in the order of their declaration', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      first(context: ChangeContext) {
        calls.add('first', context);
        if (context.retry < 2) throw new TemporaryError('wait', { delay: 0 });
      }
      @OnCreate(...KEX)
      second(context: ChangeContext) {
        calls.add('second', context);
      }
      @OnCreate(...KEX)
      third(context: ChangeContext) {
        calls.add('third', context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    expect(calls.ids).toEqual(['first', 'second', 'third', 'first', 'first']);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should be called once for several decorators that match, if their ids are the same', async () => {
    const params: unknown[] = [];
    class Operator {
      @OnCreate(...KEX, { param: 1 })
      @OnCreate('kex', { param: 2 })
      create({ param }: ChangeContext) {
        params.push(param);
      }
      @OnUpdate(...KEX, { field: 'spec.field', param: 10 })
      @OnUpdate(...KEX, { field: 'spec', param: 1 })
      update({ param, old, new: now }: ChangeContext) {
        params.push([param, old, now]);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(5);
    expect(params).toEqual([1, [10, 'v1', 'v2'], [1, { field: 'v1' }, { field: 'v2' }]]);
  });

  it('should count a handler that failed for good as finished, and be called again for the next change', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      @OnUpdate(...KEX)
      fail(context: ChangeContext) {
        calls.add('fail', context);
        throw new PermanentError('never');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(600);
    expect(calls.take()).toEqual(['fail']);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(600);
    expect(calls.take()).toEqual(['fail']);
  });

  it('should not be called ever again for what they have excluded themselves from by a mark and a filter', async () => {
    const calls = new Calls();
    class Operator {
      @OnUpdate(...KEX, { when: ({ annotations }) => annotations['never-again'] === undefined })
      update(context: ChangeContext) {
        calls.add('update', context);
        context.patch.metadata.annotations['never-again'] = 'yes';
        throw new PermanentError('Never call it again.');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    for (const field of ['v2', 'v3', 'v4']) {
      await harness.patch('a', { spec: { field } });
      await harness.advance(70);
    }
    expect(calls.ids).toEqual(['update']);
  });
});

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
    await harness.run(watchful(calls));
    await harness.advance(5);
    expect(calls.ids).toEqual([]);
    expect(harness.writes).toEqual([]);
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

describe('Resuming handlers', () => {
  it('should be called once for each object that was handled before the operator started', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(watchful(calls));
    await harness.create('a');
    await harness.advance(5);
    calls.take();
    await harness.stop();
    const patches = harness.writes.length;
    await harness.run(watchful(calls));
    await harness.advance(600);
    expect(calls.all).toEqual([{ id: 'resume', name: 'a', reason: 'resume', retry: 0 }]);
    expect(harness.writes).toHaveLength(patches);
    calls.take();
    // Neither later changes, nor a new listing, are reasons to resume again.
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(5);
    harness.kube.expireHistory();
    await harness.advance(120);
    expect(calls.take()).toEqual(['update']);
  });

  it('should be mixed into the handling of a change that was made meanwhile, in the order of their declaration', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(watchful(calls));
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.patch('a', { spec: { field: 'v2' } });
    calls.take();
    await harness.run(watchful(calls));
    await harness.advance(60);
    expect(calls.all).toEqual([
      { id: 'update', name: 'a', reason: 'update', retry: 0 },
      { id: 'resume', name: 'a', reason: 'update', retry: 0 },
    ]);
  });

  it('should not be called for an object that was marked for deletion meanwhile', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(watchful(calls));
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    calls.take();
    await harness.delete('a');
    await harness.run(watchful(calls));
    await harness.advance(60);
    expect(calls.ids).toEqual(['delete']);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should be called for an object that was marked for deletion if they are made for it', async () => {
    const calls = new Calls();
    class Operator {
      @OnResume(...KEX, { deleted: true })
      resume(context: ChangeContext) {
        calls.add('resume', context);
      }
      @OnDelete(...KEX)
      remove(context: ChangeContext) {
        calls.add('delete', context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.delete('a');
    await harness.run(Operator);
    await harness.advance(60);
    expect(calls.all).toEqual([
      { id: 'resume', name: 'a', reason: 'delete', retry: 0 },
      { id: 'delete', name: 'a', reason: 'delete', retry: 0 },
    ]);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should be called once for a method that handles creations, too', async () => {
    const calls = new Calls();
    class Operator {
      @OnResume(...KEX)
      @OnCreate(...KEX)
      track(context: ChangeContext) {
        calls.add('track', context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.run(Operator);
    await harness.advance(5);
    expect(calls.all).toEqual([
      { id: 'track', name: 'a', reason: 'create', retry: 0 },
      { id: 'track', name: 'a', reason: 'resume', retry: 0 },
    ]);
  });

  it('should be retried after errors', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      create() {}
      @OnResume(...KEX)
      resume(context: ChangeContext) {
        calls.add('resume', context);
        if (context.retry === 0) throw new TemporaryError('wait', { delay: 3 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.run(Operator);
    await harness.advance(60);
    expect(calls.all.map(({ retry }) => retry)).toEqual([0, 1]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });
});

describe('Field handlers', () => {
  function fielder(seen: unknown[]) {
    class Operator {
      @OnField(...KEX, { field: 'spec.field' })
      changed({ old, new: now, diff, reason }: ChangeContext) {
        seen.push([reason, old, now, diff]);
      }
    }
    return Operator;
  }

  it('should be called for a creation, a change, and a removal of the field, with its values only', async () => {
    const seen: unknown[] = [];
    const harness = await OperatorHarness.start();
    await harness.run(fielder(seen));
    await harness.create('a', { spec: { field: { x: 1 }, other: 1 } });
    await harness.advance(5);
    await harness.patch('a', { spec: { field: { x: 2 }, other: 2 } });
    await harness.advance(5);
    await harness.patch('a', { spec: { field: null } });
    await harness.advance(5);
    expect(seen).toEqual([
      ['create', undefined, { x: 1 }, [['add', [], null, { x: 1 }]]],
      ['update', { x: 1 }, { x: 2 }, [['change', ['x'], 1, 2]]],
      ['update', { x: 2 }, undefined, [['remove', [], { x: 2 }, null]]],
    ]);
  });

  it('should not be called when other fields change, but the new state is stored', async () => {
    const seen: unknown[] = [];
    const harness = await OperatorHarness.start();
    await harness.run(fielder(seen));
    await harness.create('a', { spec: { field: 1 } });
    await harness.advance(5);
    seen.length = 0;
    await harness.patch('a', { spec: { other: 1 } });
    await harness.advance(5);
    expect(seen).toEqual([]);
    expect((await harness.object('a')).metadata.annotations?.[LAST_HANDLED]).toContain('other');
  });

  it('should notice changes of fields that are no part of the essence otherwise', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnField(...KEX, { field: 'status.phase' })
      changed({ old, new: now }: ChangeContext) {
        seen.push([old, now]);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { status: { phase: 'x', other: 1 } });
    await harness.advance(5);
    await harness.patch('a', { status: { phase: 'y', other: 2 } });
    await harness.advance(5);
    await harness.patch('a', { status: { other: 3 } });
    await harness.advance(5);
    await harness.patch('a', { status: { phase: null } });
    await harness.advance(5);
    expect(seen).toEqual([
      [undefined, 'x'],
      ['x', 'y'],
      ['y', undefined],
    ]);
  });
});
