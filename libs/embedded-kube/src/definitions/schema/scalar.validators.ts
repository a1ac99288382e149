import { type FieldError, invalidField, longField, mistypedField } from '../../errors/field.error.js';
import { compilePattern } from '../../common/regular.expression.js';
import { formatOf, hasFormat } from './string.formats.js';
import type { StructuralSchema } from './structural.schema.js';

const INT_RANGES: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 };

/** Checks the length or the pattern of a text, and its format. */
export function validateString(value: string, schema: StructuralSchema, path: string): FieldError[] {
  const textError = validateText(value, schema, path);
  const errors = textError ? [textError] : [];
  const format = formatOf(schema);
  if (format !== undefined && !hasFormat(value, format)) {
    errors.push(mistypedField(path, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`));
  }
  return errors;
}

/** Returns the first error about the length or the pattern, as the real server returns only one. */
function validateText(value: string, schema: StructuralSchema, path: string): FieldError | undefined {
  const { minLength, maxLength, pattern } = schema;
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length;
  if (maxLength !== undefined && length > maxLength) return longField(path, maxLength);
  if (minLength !== undefined && length < minLength) {
    return invalidField(path, value, `${path} in body should be at least ${minLength} chars long`);
  }
  if (pattern !== undefined && !matchesPattern(value, pattern)) {
    return invalidField(path, value, `${path} in body should match '${pattern}'`);
  }
  return undefined;
}

/** Whether a text matches a pattern. An invalid pattern, in a definition stored by an earlier version, matches every text. */
function matchesPattern(value: string, pattern: string): boolean {
  try {
    return compilePattern(pattern).test(value);
  } catch {
    return true;
  }
}

function isMultiple(value: number | bigint, factor: number | bigint): boolean {
  if (typeof value === 'bigint' && isWhole(factor)) return value % BigInt(factor) === 0n;
  return Number.isInteger(Number(value) / Number(factor));
}

function isWhole(value: number | bigint): boolean {
  return typeof value === 'bigint' || Number.isInteger(value);
}

/** Checks the range of a number. */
export function validateNumber(value: number | bigint, schema: StructuralSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const format = formatOf(schema);
  const check = (holds: boolean, rule: string): void => {
    if (!holds) errors.push(invalidField(path, value, `${path} in body should be ${rule}`));
  };
  if (multipleOf) {
    // The factor of an integer is an integer on the real server, even if the schema has another number.
    if (isWhole(value) && Math.trunc(Number(multipleOf)) === 0) {
      const rule = `factor MultipleOf declared for ${path} must be positive: 0`;
      errors.push(invalidField(path, 0, rule));
    } else check(isMultiple(value, multipleOf), `a multiple of ${multipleOf}`);
  }
  if (maximum !== undefined) {
    if (exclusiveMaximum) check(value < maximum, `less than ${maximum}`);
    else check(value <= maximum, `less than or equal to ${maximum}`);
  }
  if (minimum !== undefined) {
    if (exclusiveMinimum) check(value > minimum, `greater than ${minimum}`);
    else check(value >= minimum, `greater than or equal to ${minimum}`);
  }
  errors.push(...validateRange('Checked', value, format, path));
  if (maximum !== undefined) errors.push(...validateRange('Maximum boundary', maximum, format, path));
  if (minimum !== undefined) errors.push(...validateRange('Minimum boundary', minimum, format, path));
  return errors;
}

/** Checks that a number, and the limits that a schema sets for it, can be integers of the format. */
function validateRange(
  subject: string,
  value: number | bigint,
  format: string | undefined,
  path: string,
): FieldError[] {
  const range = format === undefined ? undefined : INT_RANGES[format];
  if (range === undefined || (value >= -range && value < range)) return [];
  return [invalidField('<nil>', '', `${subject} value must be of type integer with format ${format} in ${path}`)];
}
