import { deepCopy, deepEqual, getKey, isMap, setKey, applyMergePatch } from './json.js';

describe('isMap', () => {
  it.each([
    [{}, true],
    [{ a: 1 }, true],
    [[], false],
    [null, false],
    [undefined, false],
    ['', false],
    [1, false],
  ])('should tell for %j: %s', (value, expected) => {
    expect(isMap(value)).toBe(expected);
  });
});

describe('deepEqual', () => {
  it.each([
    [1, 1],
    [null, null],
    ['', ''],
    [[], []],
    [{}, {}],
    [{ a: [1, { b: null }] }, { a: [1, { b: null }] }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [9007199254740993n, 9007199254740993n],
    [{ a: [5n] }, { a: [5] }],
    [2n ** 60n, 2 ** 60],
  ])('should take %s and %s as equal', (a, b) => {
    expect(deepEqual(a, b)).toBe(true);
    expect(deepEqual(b, a)).toBe(true);
  });

  it.each([
    [1, true],
    [1n, true],
    [1n, '1'],
    [1n, 1.5],
    [1n, NaN],
    [9007199254740993n, 9007199254740992n],
    [9007199254740993n, 9007199254740992],
    [0, false],
    [1, '1'],
    [null, undefined],
    [null, {}],
    [{}, []],
    [[1], [1, 2]],
    [[1], [2]],
    [{ a: null }, {}],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ toString: 1 }, {}],
    [JSON.parse('{"__proto__":1}'), {}],
  ])('should take %s and %s as different', (a, b) => {
    expect(deepEqual(a, b)).toBe(false);
    expect(deepEqual(b, a)).toBe(false);
  });
});

describe('deepCopy', () => {
  it('should copy all levels and keep the order of fields', () => {
    const source = { b: [{ x: 1 }], a: { c: null } };
    const copy = deepCopy(source);

    expect(copy).toEqual(source);
    expect(Object.keys(copy)).toEqual(['b', 'a']);
    copy.b[0].x = 2;
    expect(source.b[0].x).toBe(1);
  });

  it('should keep a field called __proto__ as a field', () => {
    const copy = deepCopy(JSON.parse('{"__proto__":{"polluted":true}}'));

    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect(copy.polluted).toBeUndefined();
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true}}');
  });
});

describe('getKey and setKey', () => {
  it('should see own fields only', () => {
    expect(getKey({ a: 1 }, 'a')).toBe(1);
    expect(getKey({}, 'constructor')).toBeUndefined();
  });

  it('should set own fields whatever their names', () => {
    const map = {};
    setKey(map, '__proto__', { a: 1 });
    setKey(map, 'b', 2);

    expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
    expect(JSON.stringify(map)).toBe('{"__proto__":{"a":1},"b":2}');
  });
});

describe('applyMergePatch', () => {
  // Of the appendix of RFC 7386.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('should apply to %j the patch %j', (value, patch, result) => {
    expect(applyMergePatch(value, patch)).toEqual(result);
  });

  it('should share what it does not change', () => {
    const value = { a: { b: 1 }, c: { d: 2 } };
    const result = applyMergePatch(value, { a: { b: 3 } }) as typeof value;
    expect(result.c).toBe(value.c);
    expect(value.a.b).toBe(1);
  });

  it('should not touch prototypes', () => {
    const patch: unknown = JSON.parse('{"__proto__": {"polluted": true}}');
    const result = applyMergePatch({}, patch) as Record<string, unknown>;
    expect(result.polluted).toBeUndefined();
    expect(Object.keys(result)).toEqual(['__proto__']);
  });
});
