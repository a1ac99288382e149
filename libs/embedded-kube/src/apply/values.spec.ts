import { customType, type CustomSchema } from './custom.type.js';
import { FieldSet } from './field.set.js';
import { printPath } from './path.element.js';
import { compareValues } from './value.comparison.js';
import { fieldsOf } from './value.fields.js';
import { mergeValues } from './value.merge.js';
import { removeFields } from './value.removal.js';
import { validateValue } from './value.validation.js';

const text: CustomSchema = { type: 'string' };
const type = customType({
  properties: {
    a: text,
    n: { type: 'integer' },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    map: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k', 'p'],
      items: { type: 'object', properties: { k: text, p: { type: 'string', default: 'TCP' }, v: text } },
    },
    list: { type: 'array', items: text },
    atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { x: text } },
    labels: { type: 'object', additionalProperties: text },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    object: { type: 'object', properties: { x: text } },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true },
  },
});
const print = (fields: FieldSet): string[] => [...fields.paths()].map(printPath);

describe('fieldsOf', () => {
  it.each<[object, string[]]>([
    [{ a: '1', n: 1 }, ['.a', '.n']],
    [{ object: { x: '1' } }, ['.object.x']],
    [{ object: {} }, ['.object']],
    [{ object: null }, ['.object']],
    [{ labels: { l: '1' } }, ['.labels.l']],
    [{ free: { a: { b: [1] } } }, ['.free.a', '.free.a.b']],
    [{ atomic: { x: '1' }, list: ['1'] }, ['.atomic', '.list']],
    [{ set: ['q', 'p'] }, ['.set[="p"]', '.set[="q"]']],
    [{ set: [] }, []],
    [{ map: [{ k: '1' }] }, ['.map[k="1",p="TCP"]', '.map[k="1",p="TCP"].k']],
    [{ embedded: { kind: 'A', metadata: { labels: { l: '1' } } } }, ['.embedded.kind', '.embedded.metadata.labels.l']],
  ])('should find those of %j', (value, expected) => expect(print(fieldsOf(value, type))).toEqual(expected));
});

describe('compareValues', () => {
  it.each<[object, object, { added?: string[]; removed?: string[]; modified?: string[] }]>([
    [{ a: '1' }, { a: '1' }, {}],
    [{ a: '1' }, { a: '2' }, { modified: ['.a'] }],
    [{}, { object: { x: '1' } }, { added: ['.object', '.object.x'] }],
    [{ object: { x: '1' } }, { object: {} }, { removed: ['.object.x'] }],
    [{ object: null }, { object: {} }, { modified: ['.object'] }],
    [{ labels: { a: '1' } }, { labels: { b: '1' } }, { added: ['.labels.b'], removed: ['.labels.a'] }],
    [{ list: ['a'] }, { list: ['b'] }, { modified: ['.list'] }],
    [{ set: ['a', 'b'] }, { set: ['b', 'c'] }, { added: ['.set[="c"]'], removed: ['.set[="a"]'] }],
    [
      { map: [{ k: '1', v: '1' }] },
      { map: [{ k: '1', p: 'TCP', v: '2' }] },
      { added: ['.map[k="1",p="TCP"].p'], modified: ['.map[k="1",p="TCP"].v'] },
    ],
    [{ set: ['a', 'a'] }, { set: ['a'] }, { modified: ['.set[="a"]'] }],
    [{ free: { a: 1 } }, { free: { a: { b: 1 } } }, { added: ['.free.a.b'], modified: ['.free.a'] }],
  ])('should compare %j with %j', (before, after, expected) => {
    const { added, removed, modified } = compareValues(before, after, type);
    const found = { added: print(added), removed: print(removed), modified: print(modified) };
    expect(found).toEqual({ added: [], removed: [], modified: [], ...expected });
  });
});

describe('mergeValues', () => {
  it.each<[object, object, object]>([
    [{ a: '1', n: 1 }, { a: '2' }, { a: '2', n: 1 }],
    [{ labels: { a: '1' } }, { labels: { b: '1' } }, { labels: { a: '1', b: '1' } }],
    [{ labels: { a: '1' } }, { labels: {} }, { labels: { a: '1' } }],
    [{ labels: { a: '1' } }, { labels: null }, { labels: { a: '1' } }],
    [{ labels: {} }, { labels: null }, { labels: null }],
    [
      { atomic: { x: '1' }, list: ['1'] },
      { atomic: {}, list: ['2'] },
      { atomic: {}, list: ['2'] },
    ],
    [{ free: { a: { b: 1 } } }, { free: { a: 'text' } }, { free: { a: 'text' } }],
    [{ set: ['a', 'b', 'c', 'd'] }, { set: ['d', 'x', 'b', 'y'] }, { set: ['a', 'c', 'd', 'x', 'b', 'y'] }],
    [{ set: ['a', 'b'] }, { set: ['x', 'b'] }, { set: ['a', 'x', 'b'] }],
    [{ set: ['a'] }, { set: [] }, { set: ['a'] }],
    [
      { map: [{ k: 'a', v: '1' }, { k: 'b' }] },
      {
        map: [
          { k: 'b', v: '2' },
          { k: 'a', p: 'UDP' },
        ],
      },
      {
        map: [
          { k: 'a', v: '1' },
          { k: 'b', v: '2' },
          { k: 'a', p: 'UDP' },
        ],
      },
    ],
  ])('should merge into %j what is applied: %j', (current, applied, expected) => {
    const before = JSON.stringify(current);
    expect(mergeValues(current, applied, type)).toEqual(expected);
    expect(JSON.stringify(current)).toBe(before);
  });
});

describe('removeFields', () => {
  it.each<[object, object, unknown]>([
    [{ a: '1', n: 1 }, { 'f:a': {} }, { n: 1 }],
    [{ set: ['a', 'b'] }, { 'f:set': { 'v:"a"': {} } }, { set: ['b'] }],
    [{ set: ['a'] }, { 'f:set': { 'v:"a"': {} } }, { set: null }],
    [{ map: [{ k: 'a', v: '1' }] }, { 'f:map': { 'k:{"k":"a","p":"TCP"}': { 'f:v': {} } } }, { map: [{ k: 'a' }] }],
    [{ labels: { a: '1' } }, { 'f:labels': { 'f:a': {} } }, { labels: null }],
    [{ list: ['a'] }, { 'f:list': { 'i:0': {} } }, { list: ['a'] }],
    [{ a: '1' }, { 'f:a': {} }, null],
  ])('should take from %j: %j', (value, fields, expected) => {
    expect(removeFields(value, FieldSet.parse(fields), type)).toEqual(expected);
  });
});

describe('validateValue', () => {
  it.each<[object, string[]]>([
    [{ a: '1', object: null }, []],
    [{ unknown: 1 }, ['.unknown: field not declared in schema']],
    [{ free: { unknown: 1 } }, []],
    [{ a: 1 }, ['.a: expected string, got &value.valueUnstructured{Value:1}']],
    [{ n: 'x' }, ['.n: expected numeric (int or float), got string']],
    [{ labels: [] }, ['.labels: expected map, got &{[]}']],
    [{ set: {} }, ['.set: expected list, got &{map[]}']],
    [{ set: ['a', 'a'] }, ['.set: duplicate entries for key [="a"]']],
    [{ map: ['x'] }, ['.map: element 0: associative list with keys may not have non-map elements']],
    [{ list: [{}] }, ['.list[0]: expected string, got &value.valueUnstructured{Value:map[string]interface {}{}}']],
  ])('should check %j', (value, expected) => expect(validateValue(value, type)).toEqual(expected));
});
