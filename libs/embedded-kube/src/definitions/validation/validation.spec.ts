import { WIDGETS } from '../../harness.spec-support.js';
import type { Draft } from '../../resources/kube-object.js';
import { validateDefinition } from '../definition.validator.js';
import type { RawSchema } from './schema.nodes.js';

/** Checks widgets whose `spec` has a schema; returns the violations below the schema of the definition. */
function violations(spec: RawSchema, root: RawSchema = {}): string[] {
  const [version] = WIDGETS.spec.versions;
  const openAPIV3Schema = { type: 'object', properties: { spec }, ...root };
  const versions = [{ ...version, additionalPrinterColumns: [], schema: { openAPIV3Schema } }];
  const names = { ...WIDGETS.spec.names, listKind: 'WidgetList' };
  const definition = { ...WIDGETS, spec: { ...WIDGETS.spec, names, versions }, status: { storedVersions: ['v1'] } };
  const errors = validateDefinition(definition as unknown as Draft, undefined);
  return errors.map(({ field, message }) => `${field.replace('spec.validation.openAPIV3Schema', '')}: ${message}`);
}

const object = (properties: RawSchema, more: RawSchema = {}): RawSchema => ({ type: 'object', properties, ...more });
const rules = (...expressions: string[]): RawSchema => ({
  'x-kubernetes-validations': expressions.map((rule) => ({ rule })),
});
const LIST = { type: 'array', items: { type: 'string' } };

describe('validateDefinition', () => {
  it.each<[string, RawSchema, string[]]>([
    ['a structural schema', object({ a: { type: 'string', default: 'x' } }), []],
    [
      'fields without a type',
      object({ a: {} }),
      ['.properties[spec].properties[a].type: Required value: must not be empty for specified object fields'],
    ],
    [
      'types in nested schemas',
      object({ a: { anyOf: [{ type: 'string' }] } }),
      [
        '.properties[spec].properties[a].anyOf[0].type: Forbidden: must be empty to be structural',
        '.properties[spec].properties[a].type: Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'integers or strings',
      object({ a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } }),
      [],
    ],
    [
      'patterns that are none',
      object({ a: { type: 'string', pattern: '(?=a)' } }),
      [
        '.properties[spec].properties[a].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
      ],
    ],
    [
      'unknown fields in defaults',
      object({ a: { type: 'string' } }, { default: { b: 1 } }),
      ['.properties[spec].default: Invalid value: {"b":1}: must not have unknown fields'],
    ],
    [
      'lists of maps without keys',
      object({ a: { ...LIST, 'x-kubernetes-list-type': 'map' } }),
      [
        '.properties[spec].properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
        '.properties[spec].properties[a].items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
      ],
    ],
    [
      'rules that are wrong',
      object({ a: { type: 'string' } }, rules('self.b', 'self.a')),
      [
        '.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.b","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field \'b\'\n | self.b\n | ....^',
        '.properties[spec].x-kubernetes-validations[1].rule: Invalid value: {"Rule":"self.a","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
      ],
    ],
    [
      'rules that may cost too much',
      object({ a: LIST }, rules('self.a.all(x, self.a.all(y, x == y))')),
      [
        expect.stringContaining('[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x'),
        expect.stringContaining('[0].rule: Forbidden: contributed to estimated rule cost total'),
        expect.stringContaining(': Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3'),
      ],
    ],
    [
      'transition rules of items that cannot be told apart',
      object({ a: { ...LIST, maxItems: 5, items: { type: 'string', maxLength: 5, ...rules('self == oldSelf') } } }),
      [
        '.properties[spec].properties[a].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[a]',
      ],
    ],
  ])('should check %s', (_name, spec, expected) => {
    expect(violations(spec)).toEqual(expected);
  });

  it('should let metadata be restricted in its name only', () => {
    const metadata = (properties: RawSchema): RawSchema => ({ properties: { metadata: object(properties) } });
    expect(violations({}, metadata({ name: { type: 'string', maxLength: 5 } }))).toEqual([]);
    expect(violations({}, metadata({ labels: { type: 'object' } }))).toEqual([
      '.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ]);
  });
});
