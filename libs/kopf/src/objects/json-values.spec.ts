import { toJsonValue } from './json-values.js';

class Point {
  constructor(
    readonly x: number,
    readonly y?: number,
  ) {}
}

function raise(): never {
  throw new Error('no text');
}

describe('toJsonValue', () => {
  it.each([
    [undefined, undefined],
    [null, null],
    ['', ''],
    [0, 0],
    [false, false],
    [
      [1, undefined, null],
      [1, null, null],
    ],
    [{ a: undefined, b: { c: [] } }, { b: { c: [] } }],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [{ when: new Date(0) }, { when: '1970-01-01T00:00:00.000Z' }],
    [new Point(1), { x: 1 }],
    [new URL('http://localhost/x'), 'http://localhost/x'],
    [{ toJSON: () => ({ nested: new Date(0) }) }, { nested: '1970-01-01T00:00:00.000Z' }],
    [Buffer.from('a'), { type: 'Buffer', data: [97] }],
    [Object('a'), 'a'],
    [Array(2), [null, null]],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ])('should make of %j what JSON makes of it', (value, expected) => {
    expect(toJsonValue(value, 'result')).toEqual(expected);
    if (value !== undefined) expect(toJsonValue(value, 'result')).toEqual(JSON.parse(JSON.stringify(value)));
  });

  it('should keep integers of 64 bits', () => {
    expect(toJsonValue({ id: 9007199254740993n, ids: [5n] }, 'result')).toEqual({ id: 9007199254740993n, ids: [5n] });
  });

  it('should return what is JSON already itself, and change nothing in place', () => {
    const plain = { a: [1, { b: null }], c: 'd' };
    expect(toJsonValue(plain, 'result')).toBe(plain);
    const inner = { when: new Date(0) };
    const value = { list: [inner], plain };
    expect(toJsonValue(value, 'result')).toEqual({ list: [{ when: '1970-01-01T00:00:00.000Z' }], plain });
    expect(value).toEqual({ list: [{ when: new Date(0) }], plain });
  });

  it('should refuse what is nested so deeply that no program can handle it', () => {
    let value: unknown = 1;
    for (let level = 0; level < 20_000; level++) value = { a: value };
    expect(() => toJsonValue(value, 'result')).toThrow('is nested more deeply than 1000 levels');
  });

  it('should take the same object twice, if it is not inside of itself', () => {
    const shared = { x: 1 };
    expect(toJsonValue({ a: shared, b: [shared] }, 'result')).toEqual({ a: { x: 1 }, b: [{ x: 1 }] });
  });

  it.each([
    [NaN, 'result is NaN'],
    [-Infinity, 'result is -Infinity'],
    [2n ** 63n, 'result is an integer of more than 64 bits'],
    [Symbol('x'), 'result is a symbol'],
    [() => 1, 'result is a function'],
    [{ a: [{ b: NaN }] }, 'result.a[0].b is NaN'],
    [{ set: new Set() }, 'result.set is a Set'],
    [new Map(), 'result is a Map'],
    [{ toJSON: () => ({ id: -(2n ** 64n) }) }, 'result.id is an integer of more than 64 bits'],
    [{ 'example.com/a': NaN }, "result['example.com/a'] is NaN"],
    [new RangeError('x'), 'result is an Error'],
    [Object(NaN), 'result is NaN'],
    [{ fails: { toJSON: () => raise() } }, 'result.fails cannot be made JSON: no text'],
  ])('should refuse %s, with the place', (value, message) => {
    expect(() => toJsonValue(value, 'result')).toThrow(new TypeError(message));
  });

  it('should refuse promises, whose rejections would not be handled', () => {
    expect(() => toJsonValue({ late: Promise.reject(new Error('unheard')) }, 'result')).toThrow(
      'result.late is a Promise',
    );
  });

  it('should refuse what throws when it is read', () => {
    const value = Object.defineProperty({}, 'size', { enumerable: true, get: raise });
    expect(() => toJsonValue({ value }, 'result')).toThrow('result.value.size cannot be made JSON: no text');
  });

  it('should refuse a cycle, with the place', () => {
    const value: { list: unknown[]; toJSON?: () => unknown } = { list: [] };
    value.list.push({ back: value });
    expect(() => toJsonValue(value, 'result')).toThrow('result.list[0].back refers to its own container');
    const endless = { toJSON: (): unknown => endless };
    expect(() => toJsonValue(endless, 'result')).toThrow('refers to its own container');
  });
});
