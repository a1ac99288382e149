import {
  type FieldError,
  invalidField,
  mistypedField,
  requiredField,
  unsupportedField,
} from '../../errors/field.error.js';
import { isNumeric, jsonEqual, isMapping } from '../../common/json.values.js';
import { validateArray } from './array.validator.js';
import { validateNumber, validateString } from './scalar.validators.js';
import { validateCombinations } from './combination.validator.js';
import { formatOf } from './string.formats.js';
import type { StructuralSchema } from './structural.schema.js';
import { manyField } from '../../errors/field.error.js';

/**
 * Checks a value by a schema.
 *
 * @param previous the value before; what did not change is not checked, so that a schema can become stricter
 */
export function validateSchema(
  value: unknown,
  schema: StructuralSchema,
  path: string,
  previous?: unknown,
): FieldError[] {
  if (previous !== undefined && jsonEqual(value, previous)) return [];
  if (value === null && schema.nullable) return [];
  const wrongType = validateType(value, schema, path);
  // In the order of the real server, which continues after a wrong type with checks that do not depend on it.
  const errors: FieldError[] = wrongType ? [wrongType] : [];
  if (wrongType && schema.type === 'integer' && isNumeric(value)) {
    const format = formatOf(schema);
    const form = format ? `with format ${format}` : '(default format)';
    errors.push(invalidField('<nil>', '', `Checked value must be of type integer ${form} in ${path}`));
  }
  errors.push(...validateCombinations(value, schema, path, validateSchema));
  if (typeof value === 'string' && !wrongType) errors.push(...validateString(value, schema, path));
  else if (isNumeric(value) && !wrongType) errors.push(...validateNumber(value, schema, path));
  else if (Array.isArray(value) && !wrongType) errors.push(...validateArray(value, schema, path, validateSchema));
  if (schema.enum && !schema.enum.some((allowed) => jsonEqual(allowed, value))) {
    errors.push(unsupportedField(path, value, schema.enum));
  }
  if (isMapping(value) && !wrongType) errors.push(...validateMembers(value, schema, path, previous));
  return errors.length > 1 ? withoutRepetitions(errors) : errors;
}

/** Removes repeated errors: schemas that repeat themselves, in `allOf` for example, report an error once. */
function withoutRepetitions(errors: readonly FieldError[]): FieldError[] {
  return [...new Map(errors.map((error) => [`${error.field}\n${error.message}`, error])).values()];
}

function validateType(value: unknown, schema: StructuralSchema, path: string): FieldError | undefined {
  const format = formatOf(schema);
  if (format !== undefined && value !== null && typeof value !== 'string') {
    const checked = validateFormatType(value, schema, format, path);
    if (checked !== 'unknown') return checked;
  }
  const actual = typeName(value);
  const isEither = schema['x-kubernetes-int-or-string'] === true;
  const type = isEither ? 'integer,string' : schema.type;
  if (!type || (isEither ? type.split(',').includes(actual) : type === actual)) return undefined;
  return type === 'number' && actual === 'integer' ? undefined : mistyped(path, actual, type);
}

/**
 * Checks that a value, which is neither null nor a text, can have a format. As on the real server, a format decides before the type: its
 * name stands in the error, and lists pass where texts are expected.
 *
 * @returns `unknown` where the type decides
 */
function validateFormatType(
  value: unknown,
  schema: StructuralSchema,
  format: string,
  path: string,
): FieldError | undefined | 'unknown' {
  const { type, 'x-kubernetes-int-or-string': isEither } = schema;
  if (Array.isArray(value)) return type === 'string' ? undefined : 'unknown';
  const actual = isNumeric(value) ? (typeName(value) === 'integer' ? 'int64' : 'float64') : '';
  const isAllowed = type === 'number' || type === 'integer' || isEither ? actual === 'int64' : false;
  if (isAllowed || (type === 'number' && actual === 'float64')) return undefined;
  return mistyped(path, actual, format);
}

function mistyped(path: string, actual: string, expected: string): FieldError {
  return mistypedField(path, actual, `${path} in body must be of type ${expected}: ${JSON.stringify(actual)}`);
}

function validateMembers(
  value: Readonly<Record<string, unknown>>,
  schema: StructuralSchema,
  path: string,
  previous: unknown,
): FieldError[] {
  const errors: FieldError[] = [];
  const { properties = {}, additionalProperties, required = [], minProperties, maxProperties } = schema;
  const old = isMapping(previous) ? previous : {};
  const names = Object.keys(value);
  if (minProperties !== undefined && names.length < minProperties) {
    const detail = `${path} in body should have at least ${minProperties} properties`;
    errors.push(invalidField(path, names.length, detail));
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    errors.push(manyField(path, names.length, maxProperties));
  }
  for (const name of names) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const member = own ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (member) errors.push(...validateSchema(value[name], member, join(path, name), old[name]));
  }
  for (const name of required) {
    if (!Object.hasOwn(value, name)) errors.push(requiredField(join(path, name)));
  }
  return errors;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  // Integers of 64 bits are bigints beyond the safe ones: a number that is none came with a fraction, an exponent, or too many digits.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  if (typeof value === 'bigint') return 'integer';
  return typeof value;
}

function join(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}
