import fc from 'fast-check';
import { type ObjectDiff, diff, EMPTY_DIFF, reduceDiff } from './diffs.js';
import { removeField, setField } from './field-path.js';
import { deepCopy, isMap } from 'kube-common';

describe('diff', () => {
  it.each<[unknown, unknown, ObjectDiff]>([
    [undefined, undefined, []],
    [undefined, null, []],
    [undefined, { a: 1 }, [['add', [], null, { a: 1 }]]],
    [{ a: 1 }, undefined, [['remove', [], { a: 1 }, null]]],
    [{ a: 1 }, { a: 2 }, [['change', ['a'], 1, 2]]],
    [{ a: 1 }, { a: true }, [['change', ['a'], 1, true]]],
    [{ a: 0 }, { a: false }, [['change', ['a'], 0, false]]],
    [{ a: [1] }, { a: [true] }, [['change', ['a'], [1], [true]]]],
    [{ a: [1, 2] }, { a: [1, 2] }, []],
    [{ a: [{ b: null }] }, { a: [{}] }, [['change', ['a'], [{ b: null }], [{}]]]],
    [{ a: null }, {}, []],
    [{}, { a: undefined }, []],
    [{ a: {} }, {}, [['remove', ['a'], {}, null]]],
    [{ a: { b: { c: 1 } } }, { a: { b: {} } }, [['remove', ['a', 'b', 'c'], 1, null]]],
    [{}, { constructor: 1 }, [['add', ['constructor'], null, 1]]],
    [{ toString: 1 }, {}, [['remove', ['toString'], 1, null]]],
  ])('should compare %j and %j', (a, b, expected) => {
    expect(diff(a, b)).toEqual(expected);
  });

  it("should follow the newer value's fields, then the lost ones, in each map", () => {
    const before = { lost: 1, b: { x: 1, y: 2 }, a: 1 };
    const after = { added: 1, a: 2, b: { z: 3, y: 1 } };

    expect(diff(before, after).map(([operation, field]) => `${operation} ${field.join('.')}`)).toEqual([
      'add added',
      'change a',
      'add b.z',
      'change b.y',
      'remove b.x',
      'remove lost',
    ]);
  });

  it("should consider only one side's fields when asked to", () => {
    const before = { a: 1, lost: 1 };
    const after = { a: 2, added: 1 };

    expect(diff(before, after, 'left')).toEqual([
      ['change', ['a'], 1, 2],
      ['remove', ['lost'], 1, null],
    ]);
    expect(diff(before, after, 'right')).toEqual([
      ['change', ['a'], 1, 2],
      ['add', ['added'], null, 1],
    ]);
    expect(diff({ lost: 1 }, {}, 'right')).toBe(EMPTY_DIFF);
  });

  it('should share the diff of equal values', () => {
    const same = { a: { b: [1] } };

    expect(diff(same, same)).toBe(EMPTY_DIFF);
    expect(diff(same, deepCopy(same))).toBe(EMPTY_DIFF);
    expect(diff({ a: null }, { b: null })).toBe(EMPTY_DIFF);
  });

  it('should give each item a path of its own', () => {
    const [first, second] = diff({}, { a: 1, b: 2 });

    expect(first[1]).toEqual(['a']);
    expect(second[1]).toEqual(['b']);
  });

  it('should lead from the older value to the newer one when applied', () => {
    const values = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>;
    const objects = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'x/y'), values);

    fc.assert(
      fc.property(objects, objects, (a, b) => {
        expect(withoutNulls(apply(a, diff(a, b)))).toEqual(withoutNulls(b));
      }),
    );
    fc.assert(fc.property(values, (a) => diff(a, deepCopy(a)) === EMPTY_DIFF));
  });
});

describe('reduceDiff', () => {
  const before = { spec: { x: { y: 1 } } };
  const after = { spec: { x: { y: 2, z: 3 } } };

  it('should make paths relative to the field', () => {
    expect(reduceDiff(diff(before, after), ['spec', 'x'])).toEqual([
      ['change', ['y'], 1, 2],
      ['add', ['z'], null, 3],
    ]);
  });

  it('should convert what happened above the field', () => {
    expect(reduceDiff(diff(undefined, after), ['spec', 'x', 'y'])).toEqual([['add', [], null, 2]]);
    expect(reduceDiff(diff(before, { spec: 1 }), ['spec', 'x'])).toEqual([['remove', [], { y: 1 }, null]]);
  });

  it('should share the empty diff, and return the whole one for the whole object', () => {
    const whole = diff(before, after);

    expect(reduceDiff(whole, [])).toBe(whole);
    expect(reduceDiff(whole, ['status'])).toBe(EMPTY_DIFF);
    expect(reduceDiff(whole, ['spec', 'xx'])).toBe(EMPTY_DIFF);
    expect(reduceDiff(EMPTY_DIFF, ['spec'])).toBe(EMPTY_DIFF);
  });
});

function apply(object: Record<string, unknown>, changes: ObjectDiff): Record<string, unknown> {
  let result = deepCopy(object);
  for (const [operation, field, , value] of changes) {
    if (field.length === 0) result = value as Record<string, unknown>;
    else if (operation === 'remove') removeOnly(result, field);
    else setField(result, field, value);
  }
  return result;
}

/** Removes the field, but keeps the maps above it, even if they are empty now. */
function removeOnly(object: Record<string, unknown>, field: readonly string[]): void {
  const marker = [...field.slice(0, -1), 'marker of the test'];
  setField(object, marker, true);
  removeField(object, field);
  let level: any = object;
  for (const name of marker.slice(0, -1)) level = Object.getOwnPropertyDescriptor(level, name)?.value;
  delete level['marker of the test'];
}

/** In maps, `null` means the same as absence; in lists it is a value. */
function withoutNulls(value: unknown): unknown {
  if (!isMap(value)) return value;
  return Object.entries(value)
    .filter(([, inner]) => inner !== null)
    .map(([key, inner]) => [key, withoutNulls(inner)])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
}
