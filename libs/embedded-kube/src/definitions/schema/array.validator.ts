import { duplicateField, type FieldError, invalidField, manyField } from '../../errors/field.error.js';
import { mapping } from '../../common/json.values.js';
import { stringifyJson } from '../../common/exact-json.js';
import type { StructuralSchema } from './structural.schema.js';

/** Checks the size, the items and the uniqueness of a list. */
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
  errors.push(...validateIdentities(value, schema, path));
  return errors;
}

function validateIdentities(value: readonly unknown[], schema: StructuralSchema, path: string): FieldError[] {
  const kind = schema['x-kubernetes-list-type'];
  if (kind !== 'set' && kind !== 'map') return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const seen = new Set<string>();
  return value.flatMap((item, index) => {
    const identity = kind === 'set' ? item : Object.fromEntries(keys.map((key) => [key, mapping(item)[key]]));
    const text = stringifyJson(identity);
    if (seen.has(text)) return [duplicateField(`${path}[${index}]`, identity)];
    seen.add(text);
    return [];
  });
}
