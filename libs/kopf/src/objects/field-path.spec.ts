import { isEmptyMap, parseFieldPath, removeField, resolveField, setField } from './field-path.js';
import type { FieldSpec } from './field-path.js';

describe('parseFieldPath', () => {
  it.each<[FieldSpec, string[]]>([
    ['spec', ['spec']],
    ['spec.a.b', ['spec', 'a', 'b']],
    [
      ['metadata', 'annotations', 'example.com/a'],
      ['metadata', 'annotations', 'example.com/a'],
    ],
    ['', []],
    [[], []],
  ])('should convert %j to %j', (field, path) => {
    expect(parseFieldPath(field)).toEqual(path);
  });

  it.each([[null], [undefined], [1], [{}], ['spec.'], ['.spec'], ['a..b'], [['a', 1]], [['']]])(
    'should refuse %j',
    (field) => {
      expect(() => parseFieldPath(field as FieldSpec)).toThrow(TypeError);
    },
  );
});

describe('resolveField', () => {
  const body = { spec: { a: { b: 1 }, none: null, list: [{ c: 1 }] } };

  it.each<[string, unknown]>([
    ['', body],
    ['spec.a', { b: 1 }],
    ['spec.a.b', 1],
    ['spec.none', null],
    ['spec.none.x', undefined],
    ['spec.a.b.c', undefined],
    ['spec.list.0', undefined],
    ['spec.constructor', undefined],
    ['status.x', undefined],
  ])('should read %j', (field, value) => {
    expect(resolveField(body, parseFieldPath(field))).toEqual(value);
  });

  it.each([[null], [undefined], ['text'], [[1]]])('should find nothing in %j', (object) => {
    expect(resolveField(object, ['length'])).toBeUndefined();
  });
});

describe('setField', () => {
  it('should create missing levels', () => {
    const object = { a: { x: 1 } };
    setField(object, ['a', 'b', 'c'], 2);
    expect(object).toEqual({ a: { x: 1, b: { c: 2 } } });
  });

  it('should replace levels that are not maps', () => {
    const object = { a: 'text', b: null, c: [1] };
    setField(object, ['a', 'x'], 1);
    setField(object, ['b', 'x'], 1);
    setField(object, ['c', 'x'], 1);
    expect(object).toEqual({ a: { x: 1 }, b: { x: 1 }, c: { x: 1 } });
  });

  it('should not reach what all objects inherit', () => {
    setField({}, ['__proto__', 'polluted'], true);
    setField({}, ['constructor', 'polluted'], true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect((Object as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('should refuse to set the whole object', () => {
    expect(() => setField({}, [], 1)).toThrow(TypeError);
  });
});

describe('removeField', () => {
  it.each([
    [{ a: 1, b: 2 }, 'a', { b: 2 }],
    [{ a: { b: { c: 1 } }, d: 1 }, 'a.b.c', { d: 1 }],
    [{ a: { b: { c: 1 }, x: 1 } }, 'a.b.c', { a: { x: 1 } }],
    [{ a: {} }, 'a.b', {}],
    [{ a: 'text' }, 'a.b', { a: 'text' }],
    [{ a: [1] }, 'a.0', { a: [1] }],
    [{ a: null }, 'a.b', { a: null }],
    [{}, 'a.b', {}],
    [{}, 'a', {}],
  ])('should remove from %j the field %s', (object, field, expected) => {
    removeField(object, parseFieldPath(field));
    expect(object).toEqual(expected);
  });

  it('should refuse to remove the whole object', () => {
    expect(() => removeField({}, [])).toThrow(TypeError);
  });
});

describe('isEmptyMap', () => {
  it('should tell whether there are fields', () => {
    expect(isEmptyMap({})).toBe(true);
    expect(isEmptyMap({ a: undefined })).toBe(false);
  });
});
