import { isMapping } from '../../common/json.values.js';
import { stringifyJson } from 'kube-common';
import { duplicateField, type FieldError, invalidField } from '../../errors/field.error.js';
import type { StructuralSchema } from './structural.schema.js';

/** Checks at every depth that sets and lists with keys (`x-kubernetes-list-type`) name nothing twice. */
export function validateListTypes(value: unknown, schema: StructuralSchema | undefined, path: string): FieldError[] {
  if (!schema) return [];
  if (Array.isArray(value)) {
    const inside = value.flatMap((item, index) => validateListTypes(item, schema.items, `${path}[${index}]`));
    return [...validateIdentities(value, schema, path), ...inside];
  }
  if (!isMapping(value)) return [];
  const { properties = {}, additionalProperties } = schema;
  return Object.entries(value).flatMap(([name, member]) => {
    if (typeof additionalProperties === 'object') {
      return validateListTypes(member, additionalProperties, `${path}[${name}]`);
    }
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return validateListTypes(member, property, path ? `${path}.${name}` : name);
  });
}

function validateIdentities(value: readonly unknown[], schema: StructuralSchema, path: string): FieldError[] {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return repetitions(value, path);
    case 'map': {
      const wrong = value.findIndex((item) => item !== null && !isMapping(item));
      if (wrong >= 0) {
        return [invalidField(`${path}[${wrong}]`, value[wrong], 'must be an object for an array of list-type map')];
      }
      const keys = schema['x-kubernetes-list-map-keys'] ?? [];
      return repetitions(
        value.map((item) => keyed(item, keys)),
        path,
      );
    }
    default:
      return [];
  }
}

/** Returns the keys of an item, as far as it has them. */
function keyed(item: unknown, keys: readonly string[]): object {
  const given = isMapping(item) ? item : {};
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(given, key)).map((key) => [key, given[key]]));
}

/** Reports values that stand more than once, where they stand for the second time only. */
function repetitions(identities: readonly unknown[], path: string): FieldError[] {
  const seen = new Map<string, number>();
  return identities.flatMap((identity, index) => {
    const text = stringifyJson(identity) ?? 'null';
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    return times === 2 ? [duplicateField(`${path}[${index}]`, identity)] : [];
  });
}
