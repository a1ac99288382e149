import type { CustomResourceDefinition, CustomResourceVersion } from '../definition.interface.js';
import type { SchemaNode } from '../schema/schema.node.js';
import { createClassSchema } from '../schema/class.schema.js';
import { SchemaErrors } from '../schema/schema.errors.js';
import { StatusCondition } from '../status.condition.js';
import { findDefinitionChanges } from './definition.changes.js';
import { FIELD_CHANGES } from './field.changes.js';
import { STYLE_RULES } from './style.rules.js';

interface Parts {
  readonly version?: Partial<CustomResourceVersion>;
  readonly scope?: 'Cluster';
  readonly versions?: readonly string[];
}

/** A CRD with one field, `.spec.field`. */
function withField(
  field: SchemaNode | undefined,
  { version, scope, versions = ['v1'] }: Parts = {},
): CustomResourceDefinition {
  const spec: SchemaNode = { type: 'object', properties: field && { field } };
  const openAPIV3Schema: SchemaNode = { type: 'object', properties: { spec } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'disks.example.com' },
    spec: {
      group: 'example.com',
      scope: scope ?? 'Namespaced',
      names: { kind: 'Disk', listKind: 'DiskList', plural: 'disks', singular: 'disk' },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema },
        ...version,
      })),
    },
  };
}

const text: SchemaNode = { type: 'string' };
const int: SchemaNode = { type: 'integer' };
const list: SchemaNode = { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' };
const map: SchemaNode = { type: 'object', additionalProperties: text };
const object = (required: string[], fields: Record<string, SchemaNode> = { a: text, b: text }): SchemaNode => ({
  type: 'object',
  properties: fields,
  required,
});
const open = { ...object([]), 'x-kubernetes-preserve-unknown-fields': true };

/** Each rule with an old field, one that breaks it, and one that does not. */
const CHANGES: Record<string, [old: SchemaNode, broken: SchemaNode, harmless: SchemaNode]> = {
  type: [text, int, { ...text, title: 'Title' }],
  required: [object(['a']), object(['a', 'b']), object([])],
  enum: [{ ...text, enum: ['a', 'b'] }, { ...text, enum: ['a'] }, text],
  enumAddition: [
    { ...text, enum: ['a'] },
    { ...text, enum: ['a', 'b'] },
    { ...text, enum: ['a'] },
  ],
  default: [
    { ...text, default: 'a' },
    { ...text, default: 'b' },
    { ...text, default: 'a' },
  ],
  maximum: [
    { ...int, maximum: 5 },
    { ...int, maximum: 4 },
    { ...int, maximum: 6 },
  ],
  maxItems: [list, { ...list, maxItems: 4 }, list],
  maxLength: [
    { ...text, maxLength: 5 },
    { ...text, maxLength: 4 },
    { ...text, maxLength: 6 },
  ],
  maxProperties: [{ ...map, maxProperties: 5 }, { ...map, maxProperties: 4 }, map],
  minimum: [
    { ...int, minimum: 5 },
    { ...int, minimum: 6 },
    { ...int, minimum: 4 },
  ],
  minItems: [{ ...list, minItems: 5 }, { ...list, minItems: 6 }, list],
  minLength: [text, { ...text, minLength: 1 }, text],
  minProperties: [{ ...map, minProperties: 1 }, { ...map, minProperties: 2 }, map],
  exclusiveMaximum: [
    { ...int, maximum: 5 },
    { ...int, maximum: 5, exclusiveMaximum: true },
    { ...int, maximum: 5 },
  ],
  exclusiveMinimum: [
    { ...int, minimum: 5 },
    { ...int, minimum: 5, exclusiveMinimum: true },
    { ...int, minimum: 5, exclusiveMinimum: false },
  ],
  multipleOf: [{ ...int, multipleOf: 2 }, { ...int, multipleOf: 3 }, int],
  pattern: [text, { ...text, pattern: '^a' }, text],
  format: [{ ...text, format: 'uri' }, { ...text, format: 'email' }, text],
  uniqueItems: [list, { ...list, uniqueItems: true } as SchemaNode, list],
  nullable: [{ ...text, nullable: true }, text, { ...text, nullable: true }],
  allOf: [text, { ...text, allOf: [{ minLength: 1 }] }, text],
  anyOf: [{ ...text, anyOf: [{ format: 'uri' }] }, { ...text, anyOf: [{ format: 'ipv4' }] }, text],
  oneOf: [text, { ...text, oneOf: [{ minLength: 1 }] }, text],
  not: [text, { ...text, not: { enum: ['a'] } }, text],
  xValidations: [
    { ...text, 'x-kubernetes-validations': [{ rule: 'self != ""' }] },
    { ...text, 'x-kubernetes-validations': [{ rule: 'self != "a"' }] },
    { ...text, 'x-kubernetes-validations': [{ rule: 'self != ""', message: 'must not be empty' }] },
  ],
  listType: [list, { ...list, 'x-kubernetes-list-type': 'set' }, { type: 'array', items: text }],
  preserveUnknownFields: [open, object([]), open],
  unhandled: [
    { ...map, 'x-kubernetes-map-type': 'granular' },
    { ...map, 'x-kubernetes-map-type': 'atomic' },
    { ...map, 'x-kubernetes-map-type': 'granular', title: 'Title' },
  ],
  description: [
    { ...text, description: 'a' },
    { ...text, description: 'b' },
    { ...text, description: 'a' },
  ],
};

const condition = createClassSchema(StatusCondition, new SchemaErrors());
const conditions = { type: 'array', items: condition, 'x-kubernetes-list-type': 'map' } as const;

/** Each convention with a field that breaks it, and one that does not. */
const STYLES: Record<string, [broken: SchemaNode, harmless: SchemaNode]> = {
  NoBools: [{ type: 'boolean' }, text],
  NoFloats: [{ type: 'number' }, int],
  NoUints: [
    { ...int, format: 'uint32' },
    { ...int, format: 'int64' },
  ],
  NoMaps: [map, object([], { labels: map })],
  ListsMustHaveSSATags: [{ type: 'array', items: text }, list],
  ConditionsMustHaveProperSSATags: [
    object([], { conditions: { ...conditions, 'x-kubernetes-list-map-keys': ['reason'] } }),
    object([], { conditions: { ...conditions, 'x-kubernetes-list-map-keys': ['type'] } }),
  ],
};

const rulesOf = (...args: Parameters<typeof findDefinitionChanges>) =>
  findDefinitionChanges(...args).map(({ rule, path }) => [rule, path]);

describe('findDefinitionChanges()', () => {
  it('should have a pair of each rule', () => {
    expect(Object.keys(CHANGES)).toEqual(Object.keys(FIELD_CHANGES));
    expect(Object.keys({ ...STYLES, MustHaveStatus: [] }).sort()).toEqual(Object.keys(STYLE_RULES).sort());
  });

  it.each(Object.entries(CHANGES))(
    'should notice what breaks the rule, and only this: %s',
    (rule, [old, broken, harmless]) => {
      expect(rulesOf(withField(old), withField(broken))).toEqual([[rule, 'v1.spec.field']]);
      expect(rulesOf(withField(old), withField(harmless))).toEqual([]);
      expect(rulesOf(withField(old), withField(broken), { allow: [rule] })).toEqual([]);
    },
  );

  it.each(Object.entries(STYLES))(
    'should warn of a new field against the convention: %s',
    (rule, [broken, harmless]) => {
      const found = findDefinitionChanges(undefined, withField(broken), { style: true });
      expect(found).toMatchObject([{ rule, path: expect.stringMatching(/^v1\.spec\.field/), severity: 'warning' }]);
      expect(rulesOf(undefined, withField(harmless), { style: true })).toEqual([]);
      expect(rulesOf(withField(broken), withField(broken), { style: true })).toEqual([]);
      expect(rulesOf(undefined, withField(broken))).toEqual([]);
    },
  );

  it('should warn of a status that is no subresource: MustHaveStatus', () => {
    const schema = { openAPIV3Schema: object([], { status: object([]) }) };
    expect(rulesOf(undefined, withField(text, { version: { schema } }), { style: true })).toEqual([
      ['MustHaveStatus', 'v1.status'],
    ]);
    const subresources = { status: {} };
    expect(rulesOf(undefined, withField(text, { version: { schema, subresources } }), { style: true })).toEqual([]);
  });

  it('should notice fields that are gone, each once: existingFieldRemoval', () => {
    const nested = object([], { inner: object([]) });
    expect(rulesOf(withField(nested), withField(undefined))).toEqual([['existingFieldRemoval', 'v1.spec.field']]);
    expect(rulesOf(withField(undefined), withField(nested))).toEqual([]);
  });

  it('should notice another scope: scope', () => {
    expect(rulesOf(withField(text), withField(text, { scope: 'Cluster' }))).toEqual([['scope', 'spec.scope']]);
  });

  it('should notice versions that are gone: storedVersionRemoval, servedVersionRemoval', () => {
    const both = withField(text, { versions: ['v1', 'v1beta1'] });
    const stored = { ...both, status: { storedVersions: ['v1beta1', 'v1'] } };
    expect(rulesOf(stored, withField(text))).toEqual([['storedVersionRemoval', 'v1beta1']]);
    expect(rulesOf(stored, both)).toEqual([]);
    expect(findDefinitionChanges(both, withField(text))).toMatchObject([
      { rule: 'servedVersionRemoval', path: 'v1beta1', severity: 'warning' },
    ]);
  });

  it('should take narrower limits as warnings where the API server lets old values stay', () => {
    const severityOf = ([old, broken]: readonly SchemaNode[]) =>
      findDefinitionChanges(withField(old), withField(broken), { ratcheting: true })[0].severity;
    expect([CHANGES.maximum, CHANGES.pattern, CHANGES.xValidations].map(severityOf)).toEqual(Array(3).fill('warning'));
    expect([CHANGES.type, CHANGES.required, CHANGES.oneOf].map(severityOf)).toEqual(Array(3).fill('error'));
  });

  it('should take a rule in CEL that also applies to what is created for a new one', () => {
    const rule = (more: object): SchemaNode => ({
      ...text,
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', ...more }],
    });
    expect(rulesOf(withField(rule({})), withField(rule({ optionalOldSelf: true })))).toEqual([
      ['xValidations', 'v1.spec.field'],
    ]);
    expect(rulesOf(withField(rule({})), withField(rule({ optionalOldSelf: false })))).toEqual([]);
  });

  describe('with several served versions', () => {
    const versionsOf = (fields: Record<string, SchemaNode>, conversion?: 'Webhook') => {
      const definition = withField(text);
      const versions = Object.entries(fields).map(([name, field], index) => ({
        ...withField(field).spec.versions[0],
        name,
        storage: index === 0,
      }));
      return {
        ...definition,
        spec: { ...definition.spec, versions, ...(conversion && { conversion: { strategy: conversion } }) },
      };
    };
    const short = { ...text, maxLength: 5 };

    it('should compare each with all newer ones, unless they were like that before', () => {
      const all = versionsOf({ v1alpha1: text, v1: short, v1beta1: int });
      expect(rulesOf(versionsOf({ v1: short }), all)).toEqual([
        ['type', 'v1alpha1 to v1beta1.spec.field'],
        ['maxLength', 'v1alpha1 to v1.spec.field'],
        ['type', 'v1beta1 to v1.spec.field'],
        ['maxLength', 'v1beta1 to v1.spec.field'],
      ]);
      expect(rulesOf(all, all)).toEqual([]);
      expect(rulesOf(withField(text), versionsOf({ v1: text, v1beta1: text }))).toEqual([]);
    });

    it('should leave to a webhook what it converts', () => {
      expect(rulesOf(withField(text), versionsOf({ v1: text, v1beta1: int }, 'Webhook'))).toEqual([]);
    });

    it('should leave out versions that are not served', () => {
      const next = versionsOf({ v1: text, v1beta1: int });
      next.spec.versions[1].served = false;
      expect(rulesOf(withField(text), next)).toEqual([]);
    });
  });

  it('should say what has changed', () => {
    const [old, broken] = CHANGES.maximum;
    expect(findDefinitionChanges(withField(old), withField(broken))).toEqual([
      { rule: 'maximum', path: 'v1.spec.field', message: 'maximum is 4 now, and was 5', severity: 'error' },
    ]);
  });
});
