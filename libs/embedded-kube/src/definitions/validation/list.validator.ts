import {
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../errors/field.error.js';
import { asSchema, isTrue, namedSchemas, type RawSchema, typeOf } from './schema.nodes.js';

/** Checks the part of a schema about lists whose items have keys. */
export function validateLists(schema: RawSchema, path: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const keys = Array.isArray(schema['x-kubernetes-list-map-keys'])
    ? (schema['x-kubernetes-list-map-keys'] as string[])
    : [];
  return [
    ...checkListType(schema, listType, path),
    ...checkKeysBelong(listType, keys, path),
    ...(listType === 'map' ? checkMap(schema, keys, path) : []),
    ...(listType === 'map' || listType === 'set' ? checkItems(schema, listType, keys, path) : []),
  ];
}

function checkListType(schema: RawSchema, listType: unknown, path: string): FieldError[] {
  if (listType === undefined || listType === null) return [];
  const errors: FieldError[] = [];
  const type = typeOf(schema);
  if (type !== 'array') {
    const rule = 'must be array if x-kubernetes-list-type is specified';
    errors.push(type ? invalidField(`${path}.type`, type, rule) : requiredField(`${path}.type`, rule));
  } else if (listType === 'set') errors.push(...checkSetItems(asSchema(schema['items']), path));
  if (!['atomic', 'set', 'map'].includes(listType as string)) {
    errors.push(unsupportedField(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  }
  return errors;
}

/** Checks the items of a set, which are compared as a whole, so that no part of them can have an owner. */
function checkSetItems(items: RawSchema | undefined, path: string): FieldError[] {
  if (!items) return [];
  const rule = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  if (typeOf(items) === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalidField(`${path}.items.x-kubernetes-list-type`, listType, rule)];
  }
  if (typeOf(items) === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    return [invalidField(`${path}.items.x-kubernetes-map-type`, listType ?? null, rule)];
  }
  return [];
}

function checkKeysBelong(listType: unknown, keys: readonly string[], path: string): FieldError[] {
  if (keys.length === 0 || listType === 'map') return [];
  const field = `${path}.x-kubernetes-list-type`;
  const rule = 'must be map if x-kubernetes-list-map-keys is non-empty';
  return [listType === undefined ? requiredField(field, rule) : invalidField(field, listType, rule)];
}

function checkMap(schema: RawSchema, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const keysField = `${path}.x-kubernetes-list-map-keys`;
  const items = asSchema(schema['items']);
  if (keys.length === 0) errors.push(requiredField(keysField, 'must not be empty if x-kubernetes-list-type is map'));
  if (!items) {
    const rule = 'must have a schema if x-kubernetes-list-type is map';
    return [...errors, requiredField(`${path}.items`, rule)];
  }
  if (typeOf(items) !== 'object') {
    const rule = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalidField(`${path}.items.type`, typeOf(items), rule)];
  }
  const properties = new Map(namedSchemas(items['properties']));
  keys.forEach((key, index) => {
    const property = properties.get(key);
    if (!property) errors.push(invalidField(keysField, keys, 'entries must all be names of item properties'));
    else if (['array', 'object'].includes(typeOf(property))) {
      const rule = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidField(`${path}.items.properties[${key}].type`, typeOf(items), rule));
    }
    if (keys.indexOf(key) < index) errors.push(invalidField(keysField, keys, 'must not contain duplicate entries'));
  });
  return errors;
}

/** Checks that items, and their keys, are never absent. */
function checkItems(schema: RawSchema, listType: string, keys: readonly string[], path: string): FieldError[] {
  const items = asSchema(schema['items']);
  if (!items) return [];
  const errors: FieldError[] = [];
  if (isTrue(items['nullable'])) {
    errors.push(
      forbiddenField(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  }
  if (listType !== 'map') return errors;
  const properties = new Map(namedSchemas(items['properties']));
  const required = Array.isArray(items['required']) ? (items['required'] as unknown[]) : [];
  for (const key of keys) {
    const property = properties.get(key);
    if (!property) continue;
    const field = `${path}.items.properties[${key}]`;
    if (!required.includes(key) && property['default'] === undefined) {
      const rule =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(requiredField(`${field}.default`, rule));
    }
    if (isTrue(property['nullable'])) {
      const rule = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(forbiddenField(`${field}.nullable`, rule));
    }
  }
  return errors;
}
