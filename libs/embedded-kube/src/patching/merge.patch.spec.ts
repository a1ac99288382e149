import { applyMergePatch, assertMergePatch } from './merge.patch.js';

describe('applyMergePatch', () => {
  // The examples of RFC 7386, appendix A, without those that the API never meets.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{ a: 'foo' }, 'bar', 'bar'],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{}, { a: [{ b: null }, null] }, { a: [{}, null] }],
  ])('should merge into %j the patch %j as %j', (target, patch, expected) => {
    expect(applyMergePatch(target, patch)).toEqual(expected);
  });

  it('should leave the target as it is and share what does not change', () => {
    const target = { spec: { a: 1 }, status: { b: 2 } };
    const result = applyMergePatch(target, { spec: { a: 2 } }) as typeof target;
    expect(target).toEqual({ spec: { a: 1 }, status: { b: 2 } });
    expect(result.status).toBe(target.status);
  });

  it('should take a member named __proto__ as data', () => {
    const result = applyMergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}')) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":true}}');
  });
});

describe('assertMergePatch', () => {
  it.each([
    [null, 'Invalid JSON Patch'],
    [[], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
    [true, 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
  ])('should refuse %j with status 400', (patch, message) => {
    expect(() => assertMergePatch(patch)).toThrow(expect.objectContaining({ code: 400, message }));
  });

  it('should accept an object', () => {
    expect(() => assertMergePatch({})).not.toThrow();
  });
});
