import { validateSchema } from './schema.validator.js';
import { decodeStructural } from './structural.codec.js';
import type { StructuralSchema } from './structural.schema.js';

const PRESERVE = { 'x-kubernetes-preserve-unknown-fields': true } as const;
const text: StructuralSchema = { type: 'string' };

describe('decodeStructural', () => {
  const decode = (value: unknown, schema: StructuralSchema) => {
    const unknown: string[] = [];
    return { value: decodeStructural(value, schema, '', unknown), unknown };
  };

  it.each<[string, StructuralSchema, unknown, unknown, string[]]>([
    ['prune unknown fields', { properties: { a: text } }, { a: '1', b: 2 }, { a: '1' }, ['b']],
    [
      'prune in lists',
      { properties: { l: { items: { properties: { a: text } } } } },
      { l: [{ a: '1', b: 2 }] },
      { l: [{ a: '1' }] },
      ['l[0].b'],
    ],
    ['prune in maps', { additionalProperties: { properties: { a: text } } }, { k: { b: 1 } }, { k: {} }, ['k.b']],
    ['keep what is to be preserved', { ...PRESERVE }, { b: { c: [1] } }, { b: { c: [1] } }, []],
    [
      'prune specified parts of what is preserved',
      { ...PRESERVE, properties: { a: { properties: {} } } },
      { a: { x: 1 }, b: 1 },
      { a: {}, b: 1 },
      ['a.x'],
    ],
    [
      'keep what is unknown in the items of a preserved list',
      { properties: { l: { type: 'array', ...PRESERVE, items: { type: 'object', properties: { a: text } } } } },
      { l: [{ a: '1', id: 'main', more: [{ b: 1 }] }] },
      { l: [{ a: '1', id: 'main', more: [{ b: 1 }] }] },
      [],
    ],
    [
      'prune below what may have any members',
      { ...PRESERVE, additionalProperties: true },
      { a: { b: 1 } },
      { a: {} },
      ['a.b'],
    ],
    ['prune in values of another form', { properties: { a: text } }, { a: [{ b: 1 }] }, { a: [{}] }, ['a[0].b']],
    [
      'keep the head of embedded objects',
      { 'x-kubernetes-embedded-resource': true, properties: {} },
      { kind: 'A', other: 1 },
      { kind: 'A' },
      ['other'],
    ],
    ['set defaults', { properties: { a: { type: 'string', default: 'x' } } }, {}, { a: 'x' }, []],
    [
      'set defaults in defaults',
      { properties: { o: { type: 'object', default: {}, properties: { a: { type: 'string', default: 'x' } } } } },
      {},
      { o: { a: 'x' } },
      [],
    ],
    [
      'not set defaults in absent objects',
      { properties: { o: { properties: { a: { type: 'string', default: 'x' } } } } },
      {},
      {},
      [],
    ],
    ['set defaults for nulls', { properties: { a: { type: 'string', default: 'x' } } }, { a: null }, { a: 'x' }, []],
    [
      'keep allowed nulls',
      { properties: { a: { type: 'string', nullable: true, default: 'x' } } },
      { a: null },
      { a: null },
      [],
    ],
    ['drop other nulls', { properties: { a: text, b: { ...PRESERVE } } }, { a: null, b: null }, {}, []],
    ['sort the members', { ...PRESERVE }, { b: 1, a: { d: 1, c: 2 } }, { a: { c: 2, d: 1 }, b: 1 }, []],
  ])('should %s', (_name, schema, value, expected, unknown) => {
    const result = decode(value, schema);
    expect(JSON.stringify(result.value)).toBe(JSON.stringify(expected));
    expect(result.unknown).toEqual(unknown);
  });
});

describe('validateSchema', () => {
  const check = (value: unknown, schema: StructuralSchema, previous?: unknown): string[] =>
    validateSchema(value, schema, 'spec.x', previous).map(({ field, message }) => `${field}: ${message}`);

  it.each<[StructuralSchema, unknown, string[]]>([
    [text, 'a', []],
    [text, 5, ['spec.x: Invalid value: "integer": spec.x in body must be of type string: "integer"']],
    [text, null, ['spec.x: Invalid value: "null": spec.x in body must be of type string: "null"']],
    [{ type: 'string', nullable: true }, null, []],
    [
      { type: 'integer' },
      1.5,
      [
        'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.x',
      ],
    ],
    [{ type: 'number' }, 1, []],
    [{ 'x-kubernetes-int-or-string': true }, '5%', []],
    [
      { 'x-kubernetes-int-or-string': true },
      true,
      ['spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"'],
    ],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', ['spec.x: Unsupported value: "c": supported values: "a", "b"']],
    [
      { type: 'string', minLength: 2 },
      'ä',
      ['spec.x: Invalid value: "ä": spec.x in body should be at least 2 chars long'],
    ],
    [{ type: 'string', maxLength: 1 }, 'ab', ['spec.x: Too long: may not be more than 1 bytes']],
    [{ type: 'string', pattern: '^a+$' }, 'b', ['spec.x: Invalid value: "b": spec.x in body should match \'^a+$\'']],
    [
      { type: 'string', format: 'date-time' },
      'b',
      ['spec.x: Invalid value: "b": spec.x in body must be of type date-time: "b"'],
    ],
    [{ type: 'string', format: 'unheard-of' }, 'b', []],
    [
      { type: 'integer', minimum: 1 },
      0,
      ['spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 1'],
    ],
    [
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      1,
      ['spec.x: Invalid value: 1: spec.x in body should be greater than 1'],
    ],
    [
      { type: 'integer', maximum: 1, exclusiveMaximum: true },
      1,
      ['spec.x: Invalid value: 1: spec.x in body should be less than 1'],
    ],
    [{ type: 'integer', multipleOf: 3 }, 4, ['spec.x: Invalid value: 4: spec.x in body should be a multiple of 3']],
    [{ type: 'array', maxItems: 1 }, [1, 2], ['spec.x: Too many: 2: must have at most 1 item']],
    [{ type: 'array', minItems: 1 }, [], ['spec.x: Invalid value: 0: spec.x in body should have at least 1 items']],
    [
      { type: 'array', items: text },
      ['a', 1],
      ['spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: "integer"'],
    ],
    [{ type: 'object', required: ['a'] }, {}, ['spec.x.a: Required value']],
    [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, ['spec.x: Too many: 2: must have at most 1 item']],
    [
      { type: 'object', additionalProperties: text },
      { a: 1 },
      ['spec.x.a: Invalid value: "integer": spec.x.a in body must be of type string: "integer"'],
    ],
    [
      { anyOf: [{ minimum: 5 }, { maximum: 1 }] },
      3,
      [
        '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
        'spec.x: Invalid value: 3: spec.x in body should be greater than or equal to 5',
      ],
    ],
    [
      { oneOf: [{ minimum: 1 }, { maximum: 5 }] },
      3,
      ['<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      { allOf: [{ minimum: 5 }] },
      3,
      [
        'spec.x: Invalid value: 3: spec.x in body should be greater than or equal to 5',
        '<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf). None validated',
      ],
    ],
    [{ not: { minimum: 1 } }, 3, ['<nil>: Invalid value: "": "spec.x" must not validate the schema (not)']],
  ])('should check %j against %j', (schema, value, expected) => {
    expect(check(value, schema)).toEqual(expected);
  });

  it('should let stand what did not change', () => {
    const schema: StructuralSchema = { type: 'object', properties: { a: { type: 'integer', maximum: 1 }, b: text } };
    expect(check({ a: 5, b: 'y' }, schema, { a: 5, b: 'x' })).toEqual([]);
    expect(check({ a: 6, b: 'y' }, schema, { a: 5, b: 'x' })).toHaveLength(1);
  });
});
