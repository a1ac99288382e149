import { DecodingError } from '../../errors/field.error.js';
import { getMember, isMapping } from '../../common/json.values.js';
import { decodeHead, type HeadField } from './embedded.object.js';
import type { StructuralSchema } from './structural.schema.js';

/** The deepest nesting of a custom resource, also of one that patches have made deeper and deeper. */
const NESTING_LIMIT = 1000;

/**
 * Brings a value into the form in which a custom resource is stored: unknown fields pruned, defaults set, nulls dropped where the
 * schema allows none, members in alphabetical order.
 *
 * @param path the value's own path, empty for the whole object
 * @param unknown gets the paths of the pruned fields
 * @param keepsNulls whether nulls of a wrong type stay, unless there is a default, so that they are found
 * @throws DecodingError if the value is nested too deeply
 */
export function decodeStructural(
  value: unknown,
  schema: StructuralSchema | undefined,
  path: string,
  unknown: string[],
  keepsNulls = false,
  depth = 0,
): unknown {
  if (depth > NESTING_LIMIT) throw new DecodingError('exceeded max depth');
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      decodeStructural(item, schema?.items, `${path}[${index}]`, unknown, keepsNulls, depth + 1),
    );
  }
  return isMapping(value) ? decodeMembers(value, schema, path, unknown, keepsNulls, depth) : value;
}

function decodeMembers(
  value: Readonly<Record<string, unknown>>,
  schema: StructuralSchema | undefined,
  path: string,
  unknown: string[],
  keepsNulls: boolean,
  depth: number,
): object {
  const members: [string, unknown][] = [];
  for (const key of memberNames(value, schema)) {
    const memberPath = path ? `${path}.${key}` : key;
    const memberSchema = schemaOf(key, schema);
    if (!memberSchema && Object.hasOwn(value, key) && !keepsUnknown(key, schema)) {
      unknown.push(memberPath);
      continue;
    }
    const own = getMember(value, key);
    const given = own !== undefined && isHead(key, schema) ? decodeHead(key, own, memberPath, unknown) : own;
    let member = withDefault(given, memberSchema);
    if (member === undefined && keepsNulls && given === null && isTyped(memberSchema)) member = null;
    if (member !== undefined) {
      members.push([key, decodeStructural(member, memberSchema, memberPath, unknown, keepsNulls, depth + 1)]);
    }
  }
  return Object.fromEntries(members);
}

function memberNames(value: object, schema: StructuralSchema | undefined): string[] {
  const names = new Set(Object.keys(value));
  for (const [name, { default: standard }] of Object.entries(schema?.properties ?? {})) {
    if (standard !== undefined) names.add(name);
  }
  return [...names].sort();
}

function schemaOf(key: string, schema: StructuralSchema | undefined): StructuralSchema | undefined {
  const { properties, additionalProperties } = schema ?? {};
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function keepsUnknown(key: string, schema: StructuralSchema | undefined): boolean {
  if (!schema || schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties === true) return true;
  return isHead(key, schema);
}

/** Whether a field is one that every embedded object has, with any schema. */
function isHead(key: string, schema: StructuralSchema | undefined): key is HeadField {
  return schema?.['x-kubernetes-embedded-resource'] === true && /^(apiVersion|kind|metadata)$/.test(key);
}

/** Checks whether a null is of a wrong type. */
function isTyped(schema: StructuralSchema | undefined): boolean {
  return schema?.type !== undefined || schema?.['x-kubernetes-int-or-string'] === true;
}

function withDefault(value: unknown, schema: StructuralSchema | undefined): unknown {
  if (value === undefined) return schema?.default;
  if (value !== null || !schema || schema.nullable) return value;
  return schema.default;
}
