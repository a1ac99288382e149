import { MalformedObjectError, validateEmbeddedObjects } from './embedded.object.js';
import { decodeStructural } from './structural.codec.js';
import type { StructuralSchema } from './structural.schema.js';

const OBJECT: StructuralSchema = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const HEAD = { apiVersion: 'v1', kind: 'Pod' };

describe('embedded objects', () => {
  it('should be stored with the metadata that objects have', () => {
    const unknown: string[] = [];
    const metadata = { name: 'a', labels: { b: '1', a: '2' }, other: 1 };
    const schema = { properties: { object: OBJECT } };
    const decoded = decodeStructural({ object: { ...HEAD, metadata, spec: { x: 1 } } }, schema, '', unknown);
    expect(decoded).toEqual({
      object: { ...HEAD, metadata: { labels: { a: '2', b: '1' }, name: 'a' }, spec: { x: 1 } },
    });
    expect(unknown).toEqual(['object.metadata.other']);
  });

  it.each([
    [{ kind: 1 }, 'x.kind: Invalid value: 1: must be a string'],
    [
      { metadata: 1 },
      'x.metadata: Invalid value: 1: json: cannot unmarshal number into Go value of type v1.ObjectMeta',
    ],
  ])('should be refused when they cannot be read: %j', (object, message) => {
    const decode = () => decodeStructural({ x: object }, { properties: { x: OBJECT } }, '', []);
    expect(decode).toThrow(MalformedObjectError);
    expect(decode).toThrow(message);
  });

  it.each<[object, string[]]>([
    [{ ...HEAD, metadata: { name: 'a' } }, []],
    [{}, ['x.apiVersion: Required value', 'x.kind: Required value']],
    [{ ...HEAD, apiVersion: 'a/b/c' }, ['x.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c']],
    [{ ...HEAD, kind: '' }, ['x.kind: Invalid value: "": must not be empty']],
    [{ ...HEAD, metadata: { name: 'a/b' } }, [`x.metadata.name: Invalid value: "a/b": may not contain '/'`]],
    [
      { ...HEAD, metadata: { generation: -1 } },
      ['x.metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
  ])('should be validated: %j', (object, expected) => {
    const errors = validateEmbeddedObjects(object, OBJECT, 'x').map(({ field, message }) => `${field}: ${message}`);
    expect(errors).toEqual(expected);
  });

  it('should be found in lists and maps', () => {
    const schema: StructuralSchema = { properties: { l: { items: OBJECT }, m: { additionalProperties: OBJECT } } };
    const errors = validateEmbeddedObjects({ l: [HEAD, { kind: 'Pod' }], m: { k: { kind: 'Pod' } } }, schema, '');
    expect(errors.map(({ field }) => field)).toEqual(['l[1].apiVersion', 'm[k].apiVersion']);
  });
});
