import { isMapping, jsonEqual } from '../../common/json.values.js';
import { type FieldError, invalidField } from '../../errors/field.error.js';
import { RuleValidator } from '../rules/rule.validator.js';
import { MalformedObjectError, validateEmbeddedObjects } from '../schema/embedded.object.js';
import { validateSchema } from '../schema/schema.validator.js';
import { decodeStructural } from '../schema/structural.codec.js';
import type { StructuralSchema } from '../schema/structural.schema.js';
import { asSchema, namedSchemas, type RawSchema } from './schema.nodes.js';

/** Checks that the defaults in a structural schema have no unknown fields, and are valid themselves. */
export function validateDefaults(schema: RawSchema, path: string): FieldError[] {
  const errors = schema['default'] === undefined ? [] : checkDefault(schema, `${path}.default`);
  const items = asSchema(schema['items']);
  if (items) errors.push(...validateDefaults(items, `${path}.items`));
  for (const [name, property] of namedSchemas(schema['properties'])) {
    errors.push(...validateDefaults(property, `${path}.properties[${name}]`));
  }
  return errors;
}

function checkDefault(raw: RawSchema, path: string): FieldError[] {
  const schema = raw as StructuralSchema;
  const value = raw['default'];
  const errors: FieldError[] = [];
  const unknown: string[] = [];
  try {
    decodeStructural(value, schema, '', unknown);
  } catch (error) {
    if (!(error instanceof MalformedObjectError)) throw error;
    return [{ ...error.violation, field: join(path, error.violation.field) }];
  }
  if (unknown.length > 0 && !onlyHead(value, schema, unknown)) {
    errors.push(invalidField(path, value, 'must not have unknown fields'));
  }
  const heads = validateEmbeddedObjects(value, schema, '');
  const violations = heads.length > 0 ? heads : validateSchema(value, schema, '');
  if (violations.length > 0)
    return [...errors, ...violations.map((each) => ({ ...each, field: join(path, each.field) }))];
  const rules = RuleValidator.create(schema, schema['x-kubernetes-embedded-resource'] === true);
  if (!rules) return errors;
  const changed = rules.validate(value, value, path);
  return [...errors, ...(changed.length > 0 ? changed : rules.validate(value, undefined, path))];
}

/** Returns the fields of an embedded object that every object has. */
function onlyHead(value: unknown, schema: StructuralSchema, unknown: readonly string[]): boolean {
  return (
    schema['x-kubernetes-embedded-resource'] === true &&
    isMapping(value) &&
    unknown.every((field) => ['apiVersion', 'kind', 'metadata'].some((head) => jsonEqual(head, field)))
  );
}

/** Joins the path of a field; messages name a field from the default on, the path leads to it from the definition. */
function join(path: string, field: string): string {
  return field === '' || field.startsWith('[') ? `${path}${field}` : `${path}.${field}`;
}
