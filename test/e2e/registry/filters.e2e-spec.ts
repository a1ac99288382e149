import {
  ABSENT,
  allOf,
  anyOf,
  noneOf,
  not,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnResume,
  OnUpdate,
  PRESENT,
  type ChangeContext,
  type ChangeFilterContext,
  type EventContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const inNs = ({ namespace }: ChangeFilterContext): boolean => namespace === 'ns';
const isField = ({ spec }: ChangeFilterContext): boolean => spec.field === 'hello';
const isSome = (value: string | undefined): boolean => value?.startsWith('some') ?? false;
const isLabel = (value: string | undefined): boolean => value?.endsWith('label') ?? false;

describe('Filters of the present state', () => {
  const object = {
    spec: { field: 'hello', empty: '', zero: 0, flag: false, list: [1], map: { x: 1 } },
    metadata: { labels: { l: 'somelabel', empty: '' }, annotations: { n: 'v' } },
  };

  it.each<[boolean, object]>([
    [true, {}],
    [true, { labels: { l: 'somelabel' } }],
    [false, { labels: { l: 'other' } }],
    [false, { labels: { absent: 'somelabel' } }],
    [true, { labels: { l: PRESENT, absent: ABSENT } }],
    [true, { labels: { empty: PRESENT } }],
    [true, { labels: { empty: '' } }],
    [false, { labels: { absent: PRESENT } }],
    [false, { labels: { l: ABSENT } }],
    [true, { annotations: { n: 'v' } }],
    [false, { annotations: { n: 'w' } }],
    [false, { annotations: { n: 'v' }, labels: { l: 'other' } }],
    [true, { labels: { l: isSome } }],
    [true, { labels: { absent: (value: unknown) => value === undefined } }],
    [true, { labels: { l: (value: unknown, { spec }: any) => value === 'somelabel' && spec.field === 'hello' } }],
    [false, { labels: { toString: PRESENT } }],
    [true, { field: 'spec.field' }],
    [false, { field: 'spec.absent' }],
    [true, { field: 'spec.field', value: 'hello' }],
    [false, { field: 'spec.field', value: 'world' }],
    [true, { field: 'spec.field', value: PRESENT }],
    [true, { field: 'spec.absent', value: ABSENT }],
    [false, { field: 'spec.absent', value: PRESENT }],
    [true, { field: 'spec.empty', value: '' }],
    [true, { field: 'spec.empty' }],
    [true, { field: 'spec.zero', value: 0 }],
    [false, { field: 'spec.zero', value: false }],
    [true, { field: 'spec.flag', value: false }],
    [true, { field: 'spec.list', value: [1] }],
    [true, { field: 'spec.map', value: { x: 1 } }],
    [false, { field: 'spec.map', value: { x: 2 } }],
    [true, { field: ['spec', 'map', 'x'], value: 1 }],
    [true, { field: 'spec.zero', value: (value: number) => value < 1 }],
    [true, { field: 'metadata.labels' }],
    [true, { when: inNs }],
    [false, { when: not(inNs) }],
    [true, { when: allOf([inNs, isField]), labels: { l: allOf([isSome, isLabel]) } }],
    [false, { when: allOf([inNs, not(isField)]) }],
    [true, { when: anyOf([not(inNs), isField]), labels: { l: anyOf([isSome, not(isLabel)]) } }],
    [false, { when: noneOf([inNs]) }],
    [true, { labels: { l: noneOf([not(isSome), not(isLabel)]) } }],
  ])('should match is %s: %j', async (expected, filters) => {
    const called: string[] = [];
    class Operator {
      @OnCreate(...KEX, filters)
      create() {
        called.push('create');
      }
      @OnEvent(...KEX, filters)
      event({ type }: EventContext) {
        if (type === 'ADDED') called.push('event');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', object);
    await harness.advance(5);
    expect(called).toEqual(expected ? ['event', 'create'] : []);
  });
});

/** Returns which handlers with the given filters are called for a change of `spec.field`. */
async function update(before: unknown, after: unknown, handlers: Record<string, object>): Promise<string[]> {
  const called: string[] = [];
  class Operator {
    // The object must have been handled before it can be updated.
    @OnCreate(...KEX)
    base() {}
  }
  for (const [name, filters] of Object.entries(handlers)) {
    const method = (): void => void called.push(name);
    Object.defineProperty(Operator.prototype, name, { value: method, configurable: true, writable: true });
    OnUpdate(...KEX, filters)(Operator.prototype, name, Object.getOwnPropertyDescriptor(Operator.prototype, name)!);
  }
  const harness = await OperatorHarness.start();
  await harness.run(Operator);
  await harness.create('a', { spec: { other: 1, field: before } });
  await harness.advance(5);
  await harness.patch('a', { spec: { other: 2, field: after ?? null } });
  await harness.advance(5);
  return called;
}

describe('Filters of changes', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['is edited', 'x', 'y', ['any', 'value-x', 'value-y', 'from-x', 'to-y', 'x-to-y', 'edited']],
    ['is added', undefined, 'y', ['any', 'value-y', 'value-absent', 'to-y', 'added']],
    ['is removed', 'x', undefined, ['any', 'value-x', 'value-absent', 'from-x', 'removed']],
    ['stays', 'x', 'x', []],
    ['stays absent', undefined, undefined, []],
  ])('should match those that fit to the transition: the field %s', async (_, before, after, expected) => {
    const field = 'spec.field';
    const called = await update(before, after, {
      any: { field },
      'value-x': { field, value: 'x' },
      'value-y': { field, value: 'y' },
      'value-absent': { field, value: ABSENT },
      'from-x': { field, old: 'x' },
      'to-y': { field, new: 'y' },
      'x-to-y': { field, old: 'x', new: 'y' },
      added: { field, old: ABSENT, new: PRESENT },
      removed: { field, old: PRESENT, new: ABSENT },
      edited: { field, old: PRESENT, new: PRESENT },
    });
    expect(called.toSorted()).toEqual(expected.toSorted());
  });

  it('should check both states for all kinds of handlers', async () => {
    const called: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      create() {}
      @OnResume(...KEX, { field: 'spec.field', value: 'v1' })
      resumedBefore({ reason, old, new: now }: ChangeContext) {
        called.push(['resumed before', reason, old, now]);
      }
      @OnResume(...KEX, { field: 'spec.field', value: 'v2' })
      resumedAfter({ reason, old, new: now }: ChangeContext) {
        called.push(['resumed after', reason, old, now]);
      }
      @OnDelete(...KEX, { field: 'spec.field', value: 'v2' })
      deletedBefore({ old, new: now }: ChangeContext) {
        called.push(['deleted before', old, now]);
      }
      @OnDelete(...KEX, { field: 'spec.field', value: 'v1' })
      deletedLongBefore() {
        called.push('deleted long before');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.stop();
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.run(Operator);
    await harness.advance(5);
    expect(called.splice(0)).toEqual([
      ['resumed before', 'update', 'v1', 'v2'],
      ['resumed after', 'update', 'v1', 'v2'],
    ]);
    await harness.stop();
    await harness.patch('a', { spec: { field: 'v3' } });
    await harness.delete('a');
    await harness.run(Operator);
    await harness.advance(5);
    expect(called).toEqual([['deleted before', 'v2', 'v3']]);
    expect(await harness.read('a')).toBeUndefined();
  });

  it('should let a field handler see the appearance of its field in a creation', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnField(...KEX, { field: 'spec.field', old: ABSENT, new: PRESENT })
      appeared({ new: now }: ChangeContext) {
        seen.push(now);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('with');
    await harness.create('without', { spec: {} });
    await harness.advance(5);
    expect(seen).toEqual(['v1']);
  });
});

describe('The stealth mode', () => {
  it('should log and store nothing for objects that no handler is for, and create them when they come in sight', async () => {
    const called: unknown[] = [];
    class Operator {
      @OnCreate(...KEX, { labels: { visible: PRESENT } })
      create({ name }: ChangeContext) {
        called.push(['create', name]);
      }
      @OnUpdate(...KEX, { labels: { visible: PRESENT } })
      update({ name }: ChangeContext) {
        called.push(['update', name]);
      }
      @OnDelete(...KEX, { labels: { visible: PRESENT } })
      remove({ name }: ChangeContext) {
        called.push(['delete', name]);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    harness.logger.lines.length = 0;
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(5);
    expect(called).toEqual([]);
    expect(harness.writes).toEqual([]);
    expect(harness.logger.lines.filter(({ message }) => message.includes('ns/a'))).toEqual([]);
    await harness.patch('a', { metadata: { labels: { visible: 'yes' } } });
    await harness.advance(5);
    expect(called).toEqual([['create', 'a']]);
  });

  it('should leave an object in sight that a handler without filters is for', async () => {
    const called: string[] = [];
    class Operator {
      @OnCreate(...KEX, { labels: { visible: PRESENT } })
      create() {
        called.push('create');
      }
      @OnUpdate(...KEX, { labels: { visible: PRESENT } })
      update() {
        called.push('update');
      }
      @OnField(...KEX, { field: 'spec.nothing', value: () => true })
      dummy() {
        called.push('dummy');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { metadata: { labels: { visible: 'yes' } } });
    await harness.advance(5);
    expect(called).toEqual(['update']);
  });
});
