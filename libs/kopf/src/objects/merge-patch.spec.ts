import { applyMergePatch } from './merge-patch.js';

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
