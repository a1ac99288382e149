import { KopfBootstrapError } from '../../common/kopf.errors.js';
import { convertJsonSchema } from './json-schema.conversion.js';
import { SchemaErrors } from './schema.errors.js';

/** A schema in the form of libraries that implement Standard JSON Schema. */
const standard = (schema: Record<string, unknown>) => ({
  '~standard': { version: 1, vendor: 'test', jsonSchema: { input: () => schema, output: () => schema } } as const,
});

function convert(schema: Record<string, unknown>) {
  const errors = new SchemaErrors();
  const node = convertJsonSchema(standard(schema), 'Disk.spec', errors);
  errors.throwAny();
  return node;
}

describe('convertJsonSchema()', () => {
  it.each<[string, Record<string, unknown>, object]>([
    [
      'an object, whose fields with defaults are optional',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { size: { type: 'string', minLength: 1 }, replicas: { type: 'integer', default: 1 } },
        required: ['size', 'replicas'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: { size: { type: 'string', minLength: 1 }, replicas: { type: 'integer', default: 1 } },
        required: ['size'],
      },
    ],
    ['null', { anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'string', nullable: true }],
    ['types with null', { type: ['integer', 'null'] }, { type: 'integer', nullable: true }],
    ['constants', { anyOf: [{ const: 'a' }, { type: 'string', const: 'b' }] }, { type: 'string', enum: ['a', 'b'] }],
    ['numbers or texts', { type: ['string', 'integer'] }, { 'x-kubernetes-int-or-string': true }],
    [
      'exclusive limits',
      { type: 'integer', exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'integer', minimum: 0, exclusiveMinimum: true },
    ],
    [
      'maps',
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
    [
      'any object',
      { type: 'object', additionalProperties: {} },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'sets',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ],
    [
      'references',
      { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { type: 'boolean' } } },
      { type: 'object', properties: { a: { type: 'boolean' } } },
    ],
    [
      'intersections',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
        ],
      },
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a', 'b'] },
    ],
  ])('should convert %s', (_, schema, expected) => {
    expect(convert(schema)).toEqual(expected);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'objects to choose from',
      { anyOf: [{ type: 'object' }, { type: 'string' }] },
      /^Disk\.spec: .*alternatives.*@ExactlyOneOf/,
    ],
    ['tuples', { type: 'array', prefixItems: [{ type: 'string' }] }, /^Disk\.spec: .*tuples/],
    [
      'recursion',
      { $ref: '#/$defs/A', $defs: { A: { type: 'array', items: { $ref: '#/$defs/A' } } } },
      /contains itself/,
    ],
    ['unknown references', { $ref: '#/$defs/B' }, /refers to #\/\$defs\/B/],
    ['look-around', { type: 'string', pattern: '^(?=a)' }, /look-around/],
  ])('should refuse %s, with the place', (_, schema, message) => {
    expect(() => convert(schema)).toThrow(KopfBootstrapError);
    expect(() => convert(schema)).toThrow(message);
  });
});
