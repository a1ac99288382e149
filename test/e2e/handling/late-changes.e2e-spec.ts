import {
  OnCreate,
  OnField,
  OnUpdate,
  PermanentError,
  TemporaryError,
  type ChangeContext,
  type ChangeFilterContext,
} from 'nestjs-kopf';
import type { Diff } from 'nestjs-kopf/parameters';
import { StatusProgressStorage } from 'nestjs-kopf/storages';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

/** The arguments of one call of a handler. */
type Call = readonly [id: string, before: unknown, after: unknown, ...more: unknown[]];

/** Two handlers of updates: one is done at once, the other one waits for 10 seconds at a time until it is let through. */
function operator(calls: Call[], isOpen: () => boolean) {
  class Operator {
    @OnUpdate(...KEX)
    quick({ old, new: now, diff }: ChangeContext) {
      calls.push(['quick', old.spec.field, now.spec.field, diff]);
    }
    @OnUpdate(...KEX)
    slow({ old, new: now }: ChangeContext) {
      calls.push(['slow', old.spec.field, now.spec.field]);
      if (!isOpen()) throw new TemporaryError('not yet', { delay: 10 });
    }
  }
  return Operator;
}

const change = (before: string, after: string): Diff => [['change', ['spec', 'field'], before, after]];

describe('Changes during a long handling', () => {
  async function play(lateChanges: 'ignore' | 'repeat', restart = false, persistence = {}) {
    const calls: Call[] = [];
    let isOpen = false;
    const harness = await OperatorHarness.start();
    const Operator = operator(calls, () => isOpen);
    await harness.run(Operator, { execution: { lateChanges }, persistence });
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(5);
    if (restart) {
      await harness.stop();
      await harness.run(Operator, { execution: { lateChanges }, persistence });
    }
    return { harness, calls, open: () => (isOpen = true) };
  }

  it('should not be shown to handlers that have finished, as in Kopf', async () => {
    const { harness, calls, open } = await play('ignore');
    await harness.patch('a', { spec: { field: 'v3' } });
    open();
    await harness.advance(60);
    expect(calls).toEqual([
      ['quick', 'v1', 'v2', change('v1', 'v2')],
      ['slow', 'v1', 'v2'],
      ['slow', 'v1', 'v3'],
    ]);
  });

  it.each([
    ['', false, {}],
    [', also after a restart', true, {}],
    [', with the progress in the status', true, { progressStorage: new StatusProgressStorage() }],
  ])('should be shown to them with the difference to what they have seen%s', async (_, restart, persistence) => {
    const { harness, calls, open } = await play('repeat', restart, persistence);
    await harness.patch('a', { spec: { field: 'v3' } });
    await harness.advance(1);
    open();
    await harness.advance(60);
    expect(calls.filter(([id]) => id === 'quick')).toEqual([
      ['quick', 'v1', 'v2', change('v1', 'v2')],
      ['quick', 'v2', 'v3', change('v2', 'v3')],
    ]);
    expect(calls.at(-1)).toEqual(['slow', 'v1', 'v3']);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
    const { status } = await harness.object('a');
    expect(JSON.stringify(status ?? {})).not.toContain('started');
  });

  it.each([false, true])(
    'should be shown to those that ran when they are taken back (restart: %s)',
    async (restart) => {
      const { harness, calls, open } = await play('repeat');
      if (restart) {
        await harness.stop();
        await harness.patch('a', { spec: { field: 'v1' } });
        open();
        await harness.run(
          operator(calls, () => true),
          { execution: { lateChanges: 'repeat' } },
        );
      } else {
        await harness.patch('a', { spec: { field: 'v1' } });
        open();
      }
      await harness.advance(60);
      expect(calls).toEqual([
        ['quick', 'v1', 'v2', change('v1', 'v2')],
        ['slow', 'v1', 'v2'],
        ['quick', 'v2', 'v1', change('v2', 'v1')],
        ['slow', 'v2', 'v1'],
      ]);
      expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
    },
  );

  it('should be dropped when they are taken back, without the option', async () => {
    const { harness, calls, open } = await play('ignore');
    await harness.patch('a', { spec: { field: 'v1' } });
    open();
    await harness.advance(60);
    expect(calls.length).toBe(2);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should be shown to handlers of creations, and of fields that have changed', async () => {
    const calls: Call[] = [];
    let isOpen = false;
    class Operator {
      @OnCreate(...KEX)
      quick({ old, new: now }: ChangeContext) {
        calls.push(['quick', old?.spec.field, now.spec.field]);
      }
      @OnField(...KEX, { field: 'spec.field' })
      field({ old, new: now }: ChangeContext) {
        calls.push(['field', old, now]);
      }
      @OnField(...KEX, { field: 'spec.other' })
      other({ old, new: now }: ChangeContext) {
        calls.push(['other', old, now]);
      }
      @OnCreate(...KEX)
      slow() {
        if (!isOpen) throw new TemporaryError('not yet', { delay: 10 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { execution: { lateChanges: 'repeat' } });
    await harness.create('a', { spec: { field: 'v1', other: 'o1' } });
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    isOpen = true;
    await harness.advance(60);
    expect(calls).toEqual([
      ['quick', undefined, 'v1'],
      ['field', undefined, 'v1'],
      ['other', undefined, 'o1'],
      ['quick', 'v1', 'v2'],
      ['field', 'v1', 'v2'],
    ]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  /** Has an operator handle creations and updates by the same methods; their decorators stand in either order. */
  function handleAll(calls: Call[], isOpen: () => boolean, reasons: readonly [typeof OnCreate, typeof OnCreate]) {
    const [Outer, Inner] = reasons;
    class Operator {
      @Outer(...KEX)
      @Inner(...KEX)
      quick({ reason, old, new: now }: ChangeContext) {
        calls.push(['quick', reason, old?.spec.field, now.spec.field]);
      }
      @Outer(...KEX)
      @Inner(...KEX)
      slow({ reason, old, new: now }: ChangeContext) {
        calls.push(['slow', reason, old?.spec.field, now.spec.field]);
        if (!isOpen()) throw new TemporaryError('not yet', { delay: 10 });
      }
    }
    return Operator;
  }

  it.each<[string, readonly [typeof OnCreate, typeof OnCreate]]>([
    ['of creations and updates', [OnCreate, OnUpdate]],
    ['of updates and creations', [OnUpdate, OnCreate]],
  ])('should be shown once to handlers %s', async (_, reasons) => {
    const calls: Call[] = [];
    let isOpen = true;
    const harness = await OperatorHarness.start();
    await harness.run(
      handleAll(calls, () => isOpen, reasons),
      { execution: { lateChanges: 'repeat' } },
    );
    await harness.create('a');
    await harness.advance(1);
    isOpen = false;
    for (const field of ['v2', 'v3', 'v1']) {
      await harness.patch('a', { spec: { field } });
      await harness.advance(1);
    }
    isOpen = true;
    await harness.advance(60);
    expect(calls.filter(([id]) => id === 'quick')).toEqual([
      ['quick', 'create', undefined, 'v1'],
      ['quick', 'update', 'v1', 'v2'],
      ['quick', 'update', 'v2', 'v3'],
      ['quick', 'update', 'v3', 'v1'],
    ]);
    expect(calls.filter(([id]) => id === 'slow')).toEqual([
      ['slow', 'create', undefined, 'v1'],
      ['slow', 'update', 'v1', 'v2'],
      ['slow', 'update', 'v2', 'v1'],
    ]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should be shown once to a handler whose decorators have different filters', async () => {
    const calls: Call[] = [];
    let isOpen = true;
    const changed = (field: string) => ({
      when: ({ diff }: ChangeFilterContext) => diff.some(([, path]) => path[1] === field),
    });
    class Operator {
      @OnUpdate(...KEX, changed('other'))
      @OnUpdate(...KEX, changed('field'))
      quick({ diff }: ChangeContext) {
        calls.push(['quick', ...diff[0].slice(2)] as unknown as Call);
      }
      @OnUpdate(...KEX)
      slow() {
        if (!isOpen) throw new TemporaryError('not yet', { delay: 10 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { execution: { lateChanges: 'repeat' } });
    await harness.create('a', { spec: { field: 'v1', other: 'o1' } });
    await harness.advance(1);
    isOpen = false;
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    await harness.patch('a', { spec: { other: 'o2' } });
    await harness.advance(1);
    isOpen = true;
    await harness.advance(60);
    expect(calls).toEqual([
      ['quick', 'v1', 'v2'],
      ['quick', 'o1', 'o2'],
    ]);
  });

  it('should be shown to sub-handlers, and to handlers that have failed for good', async () => {
    const calls: Call[] = [];
    let isOpen = false;
    class Operator {
      @OnUpdate(...KEX)
      parent({ subhandler }: ChangeContext) {
        subhandler('quick', ({ old, new: now }) => void calls.push(['quick', old.spec.field, now.spec.field]));
        subhandler('slow', () => {
          if (!isOpen) throw new TemporaryError('not yet', { delay: 10 });
        });
      }
      @OnUpdate(...KEX)
      failed({ old, new: now }: ChangeContext) {
        calls.push(['failed', old.spec.field, now.spec.field]);
        if (now.spec.field === 'v2') throw new PermanentError('not this one');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { execution: { lateChanges: 'repeat' } });
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(15);
    await harness.patch('a', { spec: { field: 'v3' } });
    await harness.advance(15);
    isOpen = true;
    await harness.advance(60);
    expect(calls.filter(([id]) => id === 'quick')).toEqual([
      ['quick', 'v1', 'v2'],
      ['quick', 'v2', 'v3'],
    ]);
    expect(calls.filter(([id]) => id === 'failed')).toEqual([
      ['failed', 'v1', 'v2'],
      ['failed', 'v2', 'v3'],
    ]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });

  it('should still be noticed if there is no room for what the handlers have seen', async () => {
    const calls: Call[] = [];
    let isOpen = false;
    class Operator {
      @OnUpdate(...KEX)
      quick({ new: now }: ChangeContext) {
        calls.push(['quick', undefined, now.spec.field]);
      }
      @OnUpdate(...KEX)
      slow() {
        if (!isOpen) throw new TemporaryError('not yet', { delay: 10 });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { execution: { lateChanges: 'repeat' } });
    await harness.create('a', { spec: { field: 'v1', text: 'x'.repeat(100_000) } });
    await harness.advance(1);
    for (const field of ['v2', 'v3']) {
      await harness.patch('a', { spec: { field } });
      await harness.advance(1);
    }
    isOpen = true;
    await harness.advance(60);
    expect(calls).toEqual([
      ['quick', undefined, 'v2'],
      ['quick', undefined, 'v3'],
    ]);
    expect(await harness.marks('a')).toEqual([LAST_HANDLED]);
  });
});
