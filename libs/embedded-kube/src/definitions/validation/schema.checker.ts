import { type FieldError, forbiddenField, invalidField } from '../../errors/field.error.js';
import { validateDefaults } from './default.validator.js';
import { validateOpenApi } from './open-api.validator.js';
import { RuleContext } from './rule.checker.js';
import { isSet, isTrue, type RawSchema, typeOf } from './schema.nodes.js';
import { validateStructure } from './structure.validator.js';

/** The fields that a schema can have beside a status subresource, as the real server's messages name them. */
const ROOT_FIELDS: Readonly<Record<string, string>> = {
  description: 'Description',
  type: 'Type',
  format: 'Format',
  title: 'Title',
  maximum: 'Maximum',
  exclusiveMaximum: 'ExclusiveMaximum',
  minimum: 'Minimum',
  exclusiveMinimum: 'ExclusiveMinimum',
  maxLength: 'MaxLength',
  minLength: 'MinLength',
  pattern: 'Pattern',
  maxItems: 'MaxItems',
  minItems: 'MinItems',
  uniqueItems: 'UniqueItems',
  multipleOf: 'MultipleOf',
  required: 'Required',
  items: 'Items',
  properties: 'Properties',
  externalDocs: 'ExternalDocs',
  example: 'Example',
  'x-kubernetes-preserve-unknown-fields': 'XPreserveUnknownFields',
  'x-kubernetes-validations': 'XValidations',
};

/**
 * Checks the schema of a version.
 *
 * @param path the path of `openAPIV3Schema`
 * @param hasStatus whether the version has a status subresource
 */
export function validateVersionSchema(schema: RawSchema, path: string, hasStatus: boolean): FieldError[] {
  const errors = hasStatus ? checkRootFields(schema, path) : [];
  if (isTrue(schema['nullable']))
    errors.push(forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root'));
  const structure = Array.isArray(schema['items']) ? [] : validateStructure(schema, path);
  const wrong =
    structure.length > 0 ? structure : validateDefaults({ ...schema, 'x-kubernetes-embedded-resource': true }, path);
  const context = wrong.length > 0 ? undefined : RuleContext.root(schema);
  const found = validateOpenApi(schema, path, context);
  return [...errors, ...wrong, ...found.schema, ...found.rules, ...(context?.costs.violations(path) ?? [])];
}

function checkRootFields(schema: RawSchema, path: string): FieldError[] {
  const type = typeOf(schema);
  if (type && type !== 'object') {
    const rule = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalidField(`${path}.type`, type, rule)];
  }
  const other = Object.keys(schema).find((name) => isSet(schema[name]) && !Object.hasOwn(ROOT_FIELDS, name));
  if (other === undefined) return [];
  const rule = `only [${Object.values(ROOT_FIELDS).join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalidField(path, schema, rule)];
}
