import { ABSENT, OnCreate, OnDelete, OnField, OnUpdate, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

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

describe('Other handlers with a field', () => {
  it('should call a deletion handler for a field that has gone before its update handler was done', async () => {
    const called: unknown[] = [];
    class Operator {
      @OnUpdate(...KEX, { field: 'spec.bucket' })
      move({ old, new: now }: ChangeContext) {
        called.push(['move', old, now]);
        throw new TemporaryError('not yet', { delay: 60 });
      }
      @OnDelete(...KEX, { field: 'spec.bucket' })
      drop({ old, new: now }: ChangeContext) {
        called.push(['drop', old, now]);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { bucket: 'b1' } });
    await harness.advance(5);
    await harness.patch('a', { spec: { bucket: null } });
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(5);
    expect(called).toEqual([
      ['move', 'b1', undefined],
      ['drop', 'b1', undefined],
    ]);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should find no fields in the state before a creation, as Kopf does', async () => {
    const called: string[] = [];
    class Operator {
      @OnCreate(...KEX, { field: 'spec.field', value: ABSENT })
      absentBefore({ old, new: now }: ChangeContext) {
        called.push(`${old} to ${now}`);
      }
      @OnCreate(...KEX, { when: ({ spec }) => spec.field === undefined })
      absent() {
        called.push('absent');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    expect(called).toEqual(['undefined to v1']);
  });
});
