import { type FieldError, invalidField, manyField } from '../../errors/field.error.js';
import { stringifyJson } from 'kube-common';
import type { StructuralSchema } from './structural.schema.js';

/** Checks the size and the items of a list, and that they are unique (`uniqueItems`). */
export function validateArray(
  value: readonly unknown[],
  schema: StructuralSchema,
  path: string,
  validateItem: (item: unknown, schema: StructuralSchema, path: string) => FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  const { items, minItems, maxItems, uniqueItems } = schema;
  if (maxItems !== undefined && value.length > maxItems) errors.push(manyField(path, value.length, maxItems));
  if (minItems !== undefined && value.length < minItems) {
    errors.push(invalidField(path, value.length, `${path} in body should have at least ${minItems} items`));
  }
  if (uniqueItems && new Set(value.map((item) => stringifyJson(item))).size < value.length) {
    errors.push(invalidField(path, '', `${path} in body shouldn't contain duplicates`));
  }
  if (items) value.forEach((item, index) => errors.push(...validateItem(item, items, `${path}[${index}]`)));
  return errors;
}
