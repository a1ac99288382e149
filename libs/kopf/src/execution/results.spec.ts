import { ResourcePatch } from '../objects/patches.js';
import type { Outcome } from './outcome.js';
import { deliverResults, toJsonResult } from './results.js';

class Point {
  constructor(
    readonly x: number,
    readonly y?: number,
  ) {}
}

describe('toJsonResult', () => {
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
  ])('should make of %j what JSON makes of it', (value, expected) => {
    expect(toJsonResult(value)).toEqual(expected);
    if (value !== undefined) expect(toJsonResult(value)).toEqual(JSON.parse(JSON.stringify(value)));
  });

  it('should keep integers of 64 bits', () => {
    expect(toJsonResult({ id: 9007199254740993n, ids: [5n] })).toEqual({ id: 9007199254740993n, ids: [5n] });
  });

  it('should take the same object twice, if it is not inside of itself', () => {
    const shared = { x: 1 };
    expect(toJsonResult({ a: shared, b: [shared] })).toEqual({ a: { x: 1 }, b: [{ x: 1 }] });
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
  ])('should refuse %s, with the place', (value, message) => {
    expect(() => toJsonResult(value)).toThrow(new TypeError(message));
  });

  it('should refuse a cycle, with the place', () => {
    const value: { list: unknown[]; toJSON?: () => unknown } = { list: [] };
    value.list.push({ back: value });
    expect(() => toJsonResult(value)).toThrow('result.list[0].back refers to its own container');
    const endless = { toJSON: (): unknown => endless };
    expect(() => toJsonResult(endless)).toThrow('refers to its own container');
  });
});

describe('deliverResults', () => {
  const outcome = (fields: Partial<Outcome>): Outcome => ({ final: true, subrefs: new Set(), ...fields });

  it('should put results into the status by the ids of handlers, but none of failures', () => {
    const patch = new ResourcePatch();
    deliverResults(
      new Map([
        ['map', outcome({ result: { a: 1 } })],
        ['fn/spec.field', outcome({ result: 'text' })],
        ['list', outcome({ result: [1] })],
        ['nothing', outcome({})],
        ['null', outcome({ result: null })],
        ['failed', outcome({ result: 1, error: new Error() })],
      ]),
      patch,
    );
    expect(patch.toMergePatch()).toEqual({ status: { map: { a: 1 }, 'fn/spec.field': 'text', list: [1] } });
  });

  it('should merge mappings into what the handler has put there, and replace anything else', () => {
    const patch = new ResourcePatch();
    patch.status.map = { a: 0, b: 0 };
    patch.status.text = 'abc';
    deliverResults(
      new Map([
        ['map', outcome({ result: { a: 1 } })],
        ['text', outcome({ result: { a: 1 } })],
      ]),
      patch,
    );
    expect(patch.status).toEqual({ map: { a: 1, b: 0 }, text: { a: 1 } });
  });
});
