// Cases of all extensions of schemas beside all types at all positions: whether a definition may have it, and what becomes of values.
import type { CaseStep, ConformanceCase } from '../case.reader.js';

type Schema = Readonly<Record<string, unknown>>;

const EMBEDDED = 'x-kubernetes-embedded-resource';
const PRESERVES = 'x-kubernetes-preserve-unknown-fields';

/** The schemas beside which an extension stands. */
const TYPES: Readonly<Record<string, Schema>> = {
  none: {},
  object: { type: 'object' },
  members: {
    type: 'object',
    properties: { id: { type: 'string' }, inner: { type: 'object', properties: { a: { type: 'integer' } } } },
  },
  map: { type: 'object', additionalProperties: { type: 'object', properties: { id: { type: 'string' } } } },
  open: { type: 'object', additionalProperties: true },
  list: { type: 'array', items: { type: 'string' } },
  members_list: {
    type: 'array',
    items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  },
  lists: { type: 'array', items: { type: 'array', items: { type: 'object' } } },
  string: { type: 'string' },
  address: { type: 'string', format: 'ipv4' },
  integer: { type: 'integer' },
  count: { type: 'integer', format: 'int32' },
  unknown_format: { type: 'string', format: 'bogus' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
};

/** The extensions, and what changes what is stored as they do. */
const EXTENSIONS: Readonly<Record<string, Schema>> = {
  nothing: {},
  preserve: { [PRESERVES]: true },
  embedded: { [EMBEDDED]: true },
  both: { [EMBEDDED]: true, [PRESERVES]: true },
  'int-or-string': { 'x-kubernetes-int-or-string': true },
  atomic: { 'x-kubernetes-list-type': 'atomic' },
  set: { 'x-kubernetes-list-type': 'set' },
  keys: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] },
  'atomic map': { 'x-kubernetes-map-type': 'atomic' },
  'granular map': { 'x-kubernetes-map-type': 'granular' },
  nullable: { nullable: true },
};

/** The positions of a schema in another one. */
const POSITIONS: Readonly<Record<string, { schema(inner: Schema): Schema; value(inner: unknown): unknown }>> = {
  property: { schema: (inner) => inner, value: (inner) => inner },
  items: { schema: (inner) => ({ type: 'array', items: inner }), value: (inner) => [inner] },
  'additional property': {
    schema: (inner) => ({ type: 'object', additionalProperties: inner }),
    value: (inner) => ({ k: inner }),
  },
  'property below a preserved one': {
    schema: (inner) => ({ type: 'object', [PRESERVES]: true, properties: { k: inner } }),
    value: (inner) => ({ k: inner, other: inner }),
  },
  'items of a preserved list': {
    schema: (inner) => ({ type: 'array', [PRESERVES]: true, items: inner }),
    value: (inner) => [inner],
  },
};

/** Values of all forms; a mapping has one unknown member at most, as the real server names any of several. */
const VALUES: readonly unknown[] = [
  null,
  'a',
  7,
  1.5,
  true,
  [],
  ['a', 'b', 'a'],
  [{ id: 'main' }],
  [{ id: 'main', more: 1 }, { id: 'main' }, { more: { a: 1 } }],
  [[{ a: 1 }], [null]],
  {},
  { id: 'main', more: { a: 1 } },
  { id: 'a', inner: { b: { c: 1 } } },
  { k: { id: 'a', more: [{ a: 1 }] } },
  { metadata: { bogus: 1 } },
];

/** A value that is an object itself, for extensions that make of it what it is. */
const OBJECT = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', bogus: 1 }, id: 'a' };

/** Makes the cases: one for each definition that is refused or not, and one for each extension at each position. */
export function schemaExtensionCases(): ConformanceCase[] {
  return Object.keys(EXTENSIONS).flatMap((extension) =>
    Object.keys(POSITIONS).flatMap((position) => [
      ...Object.keys(TYPES).map((type) => definitionCase(extension, position, type)),
      valuesCase(extension, position),
    ]),
  );
}

/** Asks whether a definition may have the extension. */
function definitionCase(extension: string, position: string, type: string): ConformanceCase {
  const inner = { ...TYPES[type], ...EXTENSIONS[extension] };
  return {
    id: `schema-extensions: ${extension} beside ${type} as ${position}`,
    world: 'core',
    steps: [definitionStep({ p: POSITIONS[position].schema(inner) }, '?dryRun=All')],
  };
}

/** Writes values of all kinds to all types that may have the extension. */
function valuesCase(extension: string, position: string): ConformanceCase {
  const { schema, value } = POSITIONS[position];
  const types = Object.keys(TYPES).filter((type) => isAllowed(extension, type));
  const values = isEmbedded(extension) || isPreserved(extension) ? [...VALUES, OBJECT] : VALUES;
  const properties = Object.fromEntries(
    types.map((type) => [type, schema({ ...TYPES[type], ...EXTENSIONS[extension] })]),
  );
  return {
    id: `schema-extensions: values of ${extension} as ${position}`,
    world: 'core',
    steps: [
      { ...definitionStep(properties), compares: ['code'] },
      step({ form: 'until', until: 'code=200', method: 'GET', path: COLLECTION, compares: ['code'] }),
      ...types.flatMap((type) => values.flatMap((each) => writes({ [type]: value(each) }))),
    ],
  };
}

const GROUP = '{id}.example.com';
const COLLECTION = `/apis/${GROUP}/v1/namespaces/{ns}/things`;

function definitionStep(properties: Schema, query = ''): CaseStep {
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  return step({
    method: 'POST',
    path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions${query}`,
    body: {
      metadata: { name: `things.${GROUP}` },
      spec: {
        group: GROUP,
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    },
  });
}

/** Creates an object, and applies one; both are not stored. */
function writes(spec: unknown): CaseStep[] {
  const body = { apiVersion: `${GROUP}/v1`, kind: 'Thing', metadata: { name: 'a' }, spec };
  return [
    step({ method: 'POST', path: `${COLLECTION}?dryRun=All&fieldValidation=Warn`, body }),
    step({
      method: 'PATCH',
      path: `${COLLECTION}/a?dryRun=All&fieldManager=m&fieldValidation=Warn`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body,
    }),
  ];
}

function step(parts: Partial<CaseStep> & Pick<CaseStep, 'method' | 'path'>): CaseStep {
  return { form: 'send', headers: {}, captures: {}, ...parts };
}

/** Whether a definition may have the extension beside this type, by the rules for structural schemas. */
function isAllowed(extension: string, type: string): boolean {
  if (type === 'count' || type === 'unknown_format') return extension === 'nothing';
  if (type === 'none') return extension === 'preserve' || extension === 'int-or-string';
  const isObject = /^(object|members|map|open)$/.test(type);
  switch (extension) {
    case 'embedded':
      return type === 'members';
    case 'both':
      return /^(object|members)$/.test(type);
    case 'int-or-string':
      return false;
    case 'atomic':
      return type.includes('list');
    case 'set':
      return type === 'list';
    case 'keys':
      return type === 'members_list';
    case 'atomic map':
    case 'granular map':
      return isObject;
    default:
      return true;
  }
}

function isEmbedded(extension: string): boolean {
  return extension === 'embedded' || extension === 'both';
}

function isPreserved(extension: string): boolean {
  return extension === 'preserve' || extension === 'both';
}
