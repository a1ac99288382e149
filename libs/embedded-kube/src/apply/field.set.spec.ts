import { FieldSet } from './field.set.js';
import type { ValueType } from './value.type.js';

const FIELDS = {
  'f:b': { '.': {}, 'f:c': {} },
  'f:list': { 'k:{"name":"x","port":80}': { '.': {}, 'f:name': {} }, 'v:"text"': {}, 'v:9': {}, 'v:10': {} },
};

const set = (...paths: string[]): FieldSet => FieldSet.of(paths.map((path) => path.split('/')));
const list = (fields: FieldSet): string[] => [...fields.paths()].map((path) => path.join('/'));

describe('FieldSet', () => {
  it('should read what it writes', () => {
    expect(FieldSet.parse(FIELDS).toFields()).toEqual(FIELDS);
  });

  it('should write steps in the order of the server', () => {
    const fields = FieldSet.parse({
      'v:10': {},
      'v:9': {},
      'k:{"b":1,"a":"x"}': { 'f:z': {}, '.': {} },
      'k:{"a":"w","b":2}': {},
      'f:b': {},
      'f:a': { 'f:c': {}, '.': {} },
    });
    const expected =
      '{"f:a":{".":{},"f:c":{}},"f:b":{},"k:{\\"a\\":\\"w\\",\\"b\\":2}":{},"k:{\\"a\\":\\"x\\",\\"b\\":1}":{".":{},"f:z":{}},"v:9":{},"v:10":{}}';
    expect(JSON.stringify(fields.toFields())).toBe(expected);
  });

  it.each([[null], [[]], [{ 'q:a': {} }], [{ 'k:[1]': {} }], [{ 'v:{': {} }], [{ 'i:x': {} }], [{ 'f:a': 1 }]])(
    'should refuse %j',
    (fields) => expect(() => FieldSet.parse(fields)).toThrow(),
  );

  it.each<[string, FieldSet, string[]]>([
    ['union', set('f:a', 'f:b/f:c').union(set('f:b', 'f:b/f:d')), ['f:a', 'f:b', 'f:b/f:c', 'f:b/f:d']],
    ['intersection', set('f:a', 'f:b/f:c', 'f:d').intersection(set('f:b', 'f:b/f:c', 'f:d')), ['f:d', 'f:b/f:c']],
    ['difference', set('f:a', 'f:b', 'f:b/f:c').difference(set('f:b', 'f:a/f:x')), ['f:a', 'f:b/f:c']],
    ['outside', set('f:a', 'f:b/f:c', 'f:b/f:d').outside(set('f:a', 'f:b/f:c')), ['f:b/f:d']],
    ['outside of what holds it', set('f:a', 'f:b/f:c').outside(set('f:b')), ['f:a']],
    ['below', set('f:b', 'f:b/f:c', 'f:b/f:d/f:e').below('f:b'), ['f:c', 'f:d/f:e']],
  ])('should form: %s', (_name, result, expected) => expect(list(result)).toEqual(expected));

  it('should be empty without paths, whatever is written', () => {
    expect(FieldSet.parse({ '.': {} }).isEmpty).toBe(true);
    expect(set('f:a/f:b').difference(set('f:a/f:b'))).toBe(FieldSet.EMPTY);
    expect(set('f:a').equals(set('f:a', 'f:b'))).toBe(false);
    expect(set('f:a', 'f:b').equals(set('f:b', 'f:a'))).toBe(true);
  });

  it('should add the declared members on the way', () => {
    const leaf: ValueType = { scalar: 'any' };
    const items: ValueType = { map: { field: (name) => (name === 'spec' ? leaf : undefined), others: () => leaf } };
    const type: ValueType = {
      map: {
        field: (name) => (name === 'spec' ? { list: { keys: ['k'], items: () => items } } : undefined),
        others: () => type,
      },
    };
    const fields = set('f:spec/k:{"k":1}/f:spec/f:x', 'f:free/f:spec/v:1').withNamedFields(type);
    expect(list(fields)).toEqual([
      'f:spec',
      'f:free/f:spec',
      'f:free/f:spec/v:1',
      'f:spec/k:{"k":1}/f:spec',
      'f:spec/k:{"k":1}/f:spec/f:x',
    ]);
  });
});
