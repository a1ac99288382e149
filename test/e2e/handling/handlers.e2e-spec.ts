import {
  OnCreate,
  OnEvent,
  OnUpdate,
  PermanentError,
  TemporaryError,
  type ChangeContext,
  type EventContext,
} from 'nestjs-kopf';
import { Calls } from '../../support/operators/calls.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { recordingOperator } from './recording.operator.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

describe('Handlers of events', () => {
  it('should be called for every event, also for the first list', async () => {
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
    await harness.run(recordingOperator(calls));
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
    await harness.run(recordingOperator(calls));
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
    await harness.run(recordingOperator(calls));
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
    expect(params).toEqual([2, [1, { field: 'v1' }, { field: 'v2' }], [10, 'v1', 'v2']]);
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

describe("A user's own lifecycle", () => {
  it('should choose among due handlers only, so that there always is a first one', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        calls.add('create', context);
        if (context.retry < 2) throw new TemporaryError('wait', { delay: 10 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { lifecycle: (handlers) => [handlers[0]] });
    await harness.create('a');
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(30);
    expect(calls.ids).toEqual(['create', 'create', 'create']);
    expect(harness.logger.messages('error').join()).not.toContain('Throttling');
  });

  it('should be asked again every second if it chooses nothing', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        context.subhandler('child', (own) => calls.add('child', own));
      }
    }
    let asked = 0;
    const harness = await OperatorHarness.start();
    await harness.run(Operator, {
      lifecycle: (handlers) => {
        asked += 1;
        return asked < 5 || (handlers[0].id === 'create/child' && asked < 10) ? [] : handlers;
      },
    });
    await harness.create('a');
    await harness.advance(3);
    expect(calls.ids).toEqual([]);
    expect(asked).toBeLessThan(8);
    await harness.advance(10);
    expect(calls.ids).toEqual(['child']);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it.each<[string, (handlers: readonly { id: string }[]) => unknown]>([
    ['nothing', () => undefined],
    ['a promise', async (handlers) => handlers],
    ['ids', (handlers) => handlers.map(({ id }) => id)],
    ['copies', (handlers) => handlers.map((handler) => ({ ...handler }))],
  ])('should throttle the object, with a clear error, if it returns %s', async (_, lifecycle) => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        calls.add('create', context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { lifecycle: lifecycle as never });
    await harness.create('a');
    await harness.advance(5);
    expect(calls.ids).toEqual([]);
    expect(harness.logger.messages('error')[0]).toContain('The lifecycle has not returned a list of the handlers');
  });
});
