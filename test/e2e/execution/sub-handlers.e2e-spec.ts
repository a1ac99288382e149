import { lifecycles, OnCreate, OnUpdate, PRESENT, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import { Calls } from '../../support/operators/calls.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

describe('Sub-handlers', () => {
  it('should be handled as other handlers, with ids relative to their parent', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        calls.add('create', context);
        for (const item of context.spec.items as string[]) {
          context.subhandler(item, (child) => {
            calls.add(`create/${item}`, child);
            return { of: item };
          });
        }
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { items: ['item1', 'item2'] } });
    await harness.advance(60);
    expect(calls.ids).toEqual(['create', 'create/item1', 'create', 'create/item2']);
    const { status, metadata } = await harness.object('a');
    expect(status).toEqual({ 'create/item1': { of: 'item1' }, 'create/item2': { of: 'item2' } });
    expect(Object.keys(metadata.annotations!)).toEqual([LAST_HANDLED]);
  });

  it('should be retried on their own, while their parent is called again and those that succeeded are not', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      async create(context: ChangeContext) {
        calls.add('entered', context);
        await context.execute({ a: this.a, b: this.b });
        calls.add('left', context);
      }
      a(context: ChangeContext) {
        calls.add('a', context);
        if (context.retry < 2) throw new TemporaryError('Not ready yet.', { delay: 10 });
      }
      b(context: ChangeContext) {
        calls.add('b', context);
        if (context.retry < 6) throw new TemporaryError('Not ready yet.', { delay: 10 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { lifecycle: lifecycles.allAtOnce });
    await harness.create('a');
    await harness.advance(59);
    expect(calls.count('left')).toBe(0);
    await harness.advance(60);
    expect(calls.count('a')).toBe(3);
    expect(calls.count('b')).toBe(7);
    expect(calls.count('entered')).toBe(7);
    expect(calls.ids.slice(-2)).toEqual(['b', 'left']);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should be executed at most once in a cycle, however often their parent executes them', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      async create(context: ChangeContext) {
        const child = (own: ChangeContext): void => calls.add('child', own);
        await context.execute({ child });
        await context.execute({ child });
        context.subhandler('child', child);
        await context.execute();
        await context.execute();
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(calls.ids).toEqual(['child']);
  });

  it('should keep their parent unfinished, even if it catches the error of waiting for them', async () => {
    const calls = new Calls();
    const passed: number[] = [];
    class Operator {
      @OnCreate(...KEX)
      async create(context: ChangeContext) {
        const child = (own: ChangeContext): void => {
          calls.add('child', own);
          if (own.retry === 0) throw new TemporaryError('wait', { delay: 0 });
        };
        await context.execute({ child }).catch(() => undefined);
        await context.execute({ child }).catch(() => undefined);
        await context.execute().then(
          () => passed.push(context.retry),
          () => undefined,
        );
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(calls.all.map(({ retry }) => retry)).toEqual([0, 1]);
    expect(passed).toEqual([1]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should be called as methods of their operator, under the names of methods', async () => {
    const seen: unknown[] = [];
    class Operator {
      private readonly greeting = 'hello';
      @OnCreate(...KEX)
      async create(context: ChangeContext) {
        await context.execute([this.plain]);
        await context.execute([this.bound.bind(this)]);
      }
      plain() {
        seen.push(this.greeting);
        return 'done';
      }
      bound() {
        seen.push(this.greeting);
        return 'done';
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(seen).toEqual(['hello', 'hello']);
    expect((await harness.object('a')).status).toEqual({ 'create/plain': 'done', 'create/bound': 'done' });
  });

  it('should have sub-handlers of their own, whose records go with those of the parent', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        context.subhandler('outer', (outer) => {
          for (const id of ['x', 'y']) {
            outer.subhandler(id, (inner) => {
              calls.add(id, inner);
              if (inner.retry === 0) throw new TemporaryError('wait', { delay: 1 });
            });
          }
        });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(0.5);
    expect(await harness.marks('a')).toEqual(
      expect.arrayContaining([
        'kopf.zalando.org/create',
        'kopf.zalando.org/create.outer',
        'kopf.zalando.org/create.outer.x',
        'kopf.zalando.org/create.outer.y',
      ]),
    );
    const parent = JSON.parse((await harness.object('a')).metadata.annotations!['kopf.zalando.org/create']);
    expect(parent.subrefs).toEqual(['create/outer', 'create/outer/x', 'create/outer/y']);
    await harness.advance(60);
    expect(calls.count('x')).toBe(2);
    expect(calls.count('y')).toBe(2);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should have ids without their fields, so that their progress and their results are where Kopf has them', async () => {
    class Operator {
      @OnUpdate(...KEX, { field: 'spec' })
      update(context: ChangeContext) {
        const child = ({ retry }: ChangeContext): string => {
          if (retry < 1) throw new TemporaryError('not yet', { delay: 10 });
          return 'done';
        };
        context.subhandler('part', child, { field: 'field' });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(5);
    expect(await harness.marks('a')).toEqual(
      expect.arrayContaining(['kopf.zalando.org/update.spec', 'kopf.zalando.org/update.spec.part']),
    );
    await harness.advance(10);
    expect((await harness.object('a')).status).toEqual({ 'update/spec/part': 'done' });
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should be one handler for one function with several fields, and an error for different functions', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnUpdate(...KEX)
      update(context: ChangeContext) {
        const note = ({ old, new: now }: ChangeContext): void => void seen.push([old, now]);
        context.subhandler('part', note, { field: 'spec.other' });
        context.subhandler('part', note, { field: 'spec.field' });
        expect(() => context.subhandler('part', () => undefined, { field: 'spec.more' })).toThrow(
          "two different sub-handlers 'update/part'",
        );
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(60);
    expect(seen).toEqual([['v1', 'v2']]);
  });

  it('should be chosen by their filters, and need the same change of a field as their parent does', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnUpdate(...KEX)
      update(context: ChangeContext) {
        const note = ({ old, new: now }: ChangeContext): void => void seen.push([old, now]);
        context.subhandler('changed', note, { field: 'spec.field' });
        context.subhandler('unchanged', note, { field: 'spec.other' });
        context.subhandler('labelled', note, { labels: { l: PRESENT } });
        context.subhandler('from', note, { field: 'spec.field', old: 'v0' });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { field: 'v1', other: 'x' } });
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(60);
    expect(seen).toEqual([['v1', 'v2']]);
  });

  it.each(['with space', 'ümlaut', '-'])(
    'should be refused for good if the cluster cannot store their id: %s',
    async (id) => {
      const calls = new Calls();
      class Operator {
        @OnCreate(...KEX)
        create(context: ChangeContext) {
          calls.add('create', context);
          context.subhandler(id, (child) => calls.add(id, child));
          context.subhandler('b', (child) => calls.add('b', child));
        }
      }
      const harness = await OperatorHarness.start();
      await harness.run(Operator);
      await harness.create('a');
      await harness.advance(600);
      expect(calls.ids).toEqual(['create']);
      expect(harness.logger.messages('error')).toEqual([
        `[ns/a] Handler 'create' failed permanently: the sub-handler 'create/${id}' cannot be stored; ` +
          'ids have only letters, digits, -, _, ., and /',
      ]);
    },
  );

  it.each([
    [
      'is no function',
      (context: ChangeContext) => context.subhandler('x', 1 as never),
      "'x' of Operator.create is not a function",
    ],
    [
      'has a timeout that is no number',
      (context: ChangeContext) => context.subhandler('x', () => 1, { timeout: Number('soon') }),
      "The sub-handler 'x' of Operator.create has no number, or a negative one, as its timeout.",
    ],
    [
      'has a negative backoff',
      (context: ChangeContext) => context.subhandler('x', () => 1, { backoff: -1 }),
      'as its backoff.',
    ],
    [
      'is in a map',
      (context: ChangeContext) => context.execute(new Map([['x', () => 1]]) as never),
      'The sub-handlers of Operator.create are neither an object nor a list of functions.',
    ],
    [
      'is nothing',
      (context: ChangeContext) => context.execute(null as never),
      'are neither an object nor a list of functions.',
    ],
    ['has no name', (context: ChangeContext) => context.execute([() => 1]), 'has neither an id nor a name'],
    [
      'shares its id with another one',
      (context: ChangeContext) => {
        context.subhandler('x', () => 1);
        context.subhandler('x', () => 2);
      },
      "two different sub-handlers 'create/x'",
    ],
  ])('should be refused with the name of the handler if one %s', async (_, act, message) => {
    class Operator {
      @OnCreate(...KEX, { errors: 'permanent' })
      create(context: ChangeContext) {
        return act(context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(600);
    expect(harness.logger.messages('error').join()).toContain(message);
  });

  it('should not be executed for a parent whose time is over', async () => {
    const calls = new Calls();
    let refused: Error | void = undefined;
    class Operator {
      @OnCreate(...KEX, { timeout: 10 })
      async create(context: ChangeContext) {
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        await Promise.resolve();
        refused = await context.execute({ late: (own) => calls.add('late', own) }).catch((error: Error) => error);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(calls.ids).toEqual([]);
    expect(refused).toMatchObject({ message: 'The sub-handlers of Operator.create come too late.' });
  });

  it('should be waited for if their parent executes some of them beside others', async () => {
    const calls = new Calls();
    class Operator {
      @OnCreate(...KEX)
      async create(context: ChangeContext) {
        calls.add('parent', context);
        const quick = (own: ChangeContext): void => {
          calls.add('quick', own);
          if (own.retry === 0) throw new TemporaryError('wait', { delay: 5 });
        };
        const slow = async (own: ChangeContext): Promise<string> => {
          calls.add('slow', own);
          await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 20_000));
          return 'done';
        };
        await Promise.all([context.execute({ quick }), context.execute({ slow }), context.execute({ slow })]);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(calls.ids).toEqual(['parent', 'quick', 'slow', 'parent', 'quick']);
    expect((await harness.object('a')).status).toEqual({ 'create/slow': 'done' });
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should be aborted with their parent at its deadline, and those not called yet be left out', async () => {
    const calls = new Calls();
    let signal: AbortSignal | undefined;
    class Operator {
      @OnCreate(...KEX, { timeout: 5 })
      async create(context: ChangeContext) {
        context.subhandler('running', async (own) => {
          calls.add('running', own);
          ({ signal } = own);
          await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 10_000));
        });
        context.subhandler('next', (own) => calls.add('next', own));
        await context.execute();
      }
      @OnCreate(...KEX, { timeout: 5 })
      async late(context: ChangeContext) {
        context.subhandler('added', (own) => calls.add('added', own));
        await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 10_000));
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { lifecycle: lifecycles.allAtOnce });
    await harness.create('a');
    await harness.advance(6);
    expect(signal?.reason).toMatchObject({ name: 'HandlerTimeoutError' });
    await harness.advance(60);
    expect(calls.ids).toEqual(['running']);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });
});
