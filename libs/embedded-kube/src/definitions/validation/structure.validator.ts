import { compilePattern } from '../../common/regular.expression.js';
import { jsonEqual } from '../../common/json.values.js';
import { type FieldError, forbiddenField, invalidField, requiredField } from '../../errors/field.error.js';
import { asSchema, isSet, isTrue, listedSchemas, namedSchemas, type RawSchema, typeOf } from './schema.nodes.js';

type Level = 'root' | 'item' | 'field';

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/**
 * Checks that a schema is structural: that each value has one type, also with further requirements in `allOf` and the like. The errors are
 * in alphabetical order, as on the real server.
 */
export function validateStructure(schema: RawSchema, path: string): FieldError[] {
  const errors = [...checkNode(schema, 'root', path), ...checkCompleteness(schema, schema, path, path)];
  const text = ({ field, message }: FieldError): string => `${field}: ${message}`;
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

function checkNode(schema: RawSchema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const items = asSchema(schema['items']);
  const additional = schema['additionalProperties'];
  if (typeOf(schema) === 'array' && !items) errors.push(requiredField(`${path}.items`, 'must be specified'));
  if (items) errors.push(...checkNode(items, 'item', `${path}.items`));
  for (const [name, property] of namedSchemas(schema['properties'])) {
    errors.push(...checkNode(property, 'field', `${path}.properties[${name}]`));
  }
  if (additional !== undefined && additional !== null) {
    if (level === 'root') errors.push(forbiddenField(`${path}.additionalProperties`, 'must not be used at the root'));
    const nested = asSchema(additional);
    if (nested) errors.push(...checkNode(nested, 'field', `${path}.additionalProperties`));
  }
  errors.push(
    ...checkExtensions(schema, path),
    ...checkValues(schema, path, isIntOrString(schema), true),
    ...checkType(schema, level, path),
  );
  errors.push(...checkHead(schema, level, path));
  return errors;
}

function checkExtensions(schema: RawSchema, path: string): FieldError[] {
  if (!isTrue(schema['x-kubernetes-int-or-string'])) return [];
  return ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource']
    .filter((name) => isTrue(schema[name]))
    .map((name) => invalidField(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'));
}

function checkType(schema: RawSchema, level: Level, path: string): FieldError[] {
  const type = typeOf(schema);
  const isEmbedded = isTrue(schema['x-kubernetes-embedded-resource']);
  const isFree = isTrue(schema['x-kubernetes-int-or-string']) || isTrue(schema['x-kubernetes-preserve-unknown-fields']);
  const errors: FieldError[] = [];
  if (isEmbedded && type !== 'object') {
    const rule = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type ? invalidField(`${path}.type`, type, rule) : requiredField(`${path}.type`, rule));
  } else if (!type && !isFree) errors.push(requiredField(`${path}.type`, EMPTY_TYPE[level]));
  if (isEmbedded && isSet(schema['additionalProperties'])) {
    const rule = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbiddenField(`${path}.additionalProperties`, rule));
  }
  if (level === 'root' && type && type !== 'object') {
    errors.push(invalidField(`${path}.type`, type, 'must be object at the root'));
  }
  if (isEmbedded && !isTrue(schema['x-kubernetes-preserve-unknown-fields']) && !isSet(schema['properties'])) {
    const rule =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(requiredField(`${path}.properties`, rule));
  }
  return errors;
}

/** Checks the part of a schema about `apiVersion`, `kind` and `metadata`, which every object has. */
function checkHead(schema: RawSchema, level: Level, path: string): FieldError[] {
  const isObject = level === 'root' || isTrue(schema['x-kubernetes-embedded-resource']);
  const properties = new Map(namedSchemas(schema['properties']));
  const errors: FieldError[] = [];
  for (const name of ['kind', 'apiVersion']) {
    const property = properties.get(name);
    if (!isObject || !property || typeOf(property) === 'string') continue;
    errors.push(invalidField(`${path}.properties[${name}].type`, typeOf(property), 'must be string'));
  }
  const metadata = properties.get('metadata');
  if (!metadata) return errors;
  const metadataPath = `${path}.properties[metadata]`;
  if (isObject && typeOf(metadata) !== 'object') {
    errors.push(invalidField(`${metadataPath}.type`, typeOf(metadata), 'must be object'));
  }
  const { type: _, default: __, properties: named, ...rest } = metadata;
  const others = namedSchemas(named).filter(([name]) => name !== 'name' && name !== 'generateName');
  if (level === 'root' && (others.length > 0 || Object.values(rest).some(isSet))) {
    const rule = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbiddenField(metadataPath, rule));
  }
  return errors;
}

function isIntOrString(schema: RawSchema | undefined): boolean {
  return jsonEqual(schema?.['anyOf'], INT_OR_STRING);
}

/** Checks what is required of values; the two ways in which types may be repeated are those of integers or strings. */
function checkValues(schema: RawSchema, path: string, skipsAnyOf: boolean, isNode: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const check = (junctor: string): void => {
    listedSchemas(schema[junctor]).forEach((each, index) => {
      const skips = isNode && junctor === 'allOf' && index === 0 && isIntOrString(each);
      errors.push(...checkNested(each, `${path}.${junctor}[${index}]`, skips));
    });
  };
  if (!skipsAnyOf) check('anyOf');
  check('allOf');
  check('oneOf');
  const not = asSchema(schema['not']);
  if (not) errors.push(...checkNested(not, `${path}.not`));
  const { pattern } = schema;
  if (typeof pattern === 'string' && pattern !== '') {
    const problem = patternProblem(pattern);
    if (problem)
      errors.push(
        invalidField(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${problem}`),
      );
  }
  return errors;
}

function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The fields that nested schemas must not have, with the rules that they break. */
const FORBIDDEN: readonly (readonly [field: string, rule: string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function checkNested(schema: RawSchema, path: string, skipsAnyOf = false): FieldError[] {
  const errors = checkValues(schema, path, skipsAnyOf, false);
  const items = asSchema(schema['items']);
  if (items) errors.push(...checkNested(items, `${path}.items`));
  for (const [name, property] of namedSchemas(schema['properties'])) {
    errors.push(...checkNested(property, `${path}.properties[${name}]`));
    if (name === 'metadata') {
      errors.push(forbiddenField(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
    }
  }
  for (const [field, rule] of FORBIDDEN) {
    const value = schema[field];
    const isThere = field === 'default' || field === 'additionalProperties' ? value !== undefined : isSet(value);
    if (isThere) errors.push(forbiddenField(`${path}.${field}`, rule));
  }
  return errors;
}

/** Checks that what nested schemas speak of is there outside of them. */
function checkCompleteness(
  nested: RawSchema,
  schema: RawSchema | undefined,
  path: string,
  nestedPath: string,
): FieldError[] {
  if (!schema) return [requiredField(path, `because it is defined in ${nestedPath}`)];
  const errors: FieldError[] = [];
  const check = (each: RawSchema, suffix: string): void => {
    errors.push(...checkNestedCompleteness(each, schema, path, `${nestedPath}.${suffix}`));
  };
  const not = asSchema(nested['not']);
  if (not) check(not, 'not');
  for (const junctor of ['allOf', 'anyOf', 'oneOf']) {
    listedSchemas(nested[junctor]).forEach((each, index) => check(each, `${junctor}[${index}]`));
  }
  return errors;
}

function checkNestedCompleteness(
  nested: RawSchema,
  schema: RawSchema | undefined,
  path: string,
  nestedPath: string,
): FieldError[] {
  const errors = checkCompleteness(nested, schema, path, nestedPath);
  if (!schema) return errors;
  const items = asSchema(nested['items']);
  if (items) {
    errors.push(...checkNestedCompleteness(items, asSchema(schema['items']), `${path}.items`, `${nestedPath}.items`));
  }
  const own = new Map(namedSchemas(schema['properties']));
  for (const [name, property] of namedSchemas(nested['properties'])) {
    const suffix = `properties[${name}]`;
    errors.push(...checkNestedCompleteness(property, own.get(name), `${path}.${suffix}`, `${nestedPath}.${suffix}`));
  }
  return errors;
}
