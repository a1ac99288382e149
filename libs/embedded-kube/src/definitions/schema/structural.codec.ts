import { DecodingError } from '../../errors/field.error.js';
import { getMember, isMapping } from '../../common/json.values.js';
import { decodeHead, type HeadField } from './embedded.object.js';
import type { StructuralSchema } from './structural.schema.js';

/** The deepest nesting of a custom resource, also of one that patches have made deeper and deeper. */
const NESTING_LIMIT = 1000;

/** What decoding a whole custom resource shares. */
interface Decoding {
  /** Gets the paths of the pruned fields. */
  readonly unknown: string[];
  /** Whether nulls of a wrong type stay, unless there is a default, so that they are found. */
  readonly keepsNulls: boolean;
}

/** The place of a value in a custom resource. */
interface Place {
  /** The path as pruning reports it: `a.k`, whether `k` is a property or the key of a map. */
  readonly path: string;
  /** The path as embedded objects are reported: `a[k]` for the key of a map. */
  readonly field: string;
  readonly depth: number;
  /**
   * Whether unknown fields are kept although the schema does not say so: in the items of a preserved list, and in what no schema is for
   * below a preserved value.
   */
  readonly preserved: boolean;
}

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
): unknown {
  return decodeValue(value, schema, { path, field: path, depth: 0, preserved: false }, { unknown, keepsNulls });
}

function decodeValue(value: unknown, schema: StructuralSchema | undefined, place: Place, decoding: Decoding): unknown {
  if (place.depth > NESTING_LIMIT) throw new DecodingError('exceeded max depth');
  const preserved = place.preserved || schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      decodeValue(item, schema?.items, placeBelow(place, `[${index}]`, `[${index}]`, preserved), decoding),
    );
  }
  return isMapping(value) ? decodeMembers(value, schema, { ...place, preserved }, decoding) : value;
}

function decodeMembers(
  value: Readonly<Record<string, unknown>>,
  schema: StructuralSchema | undefined,
  place: Place,
  decoding: Decoding,
): object {
  const { unknown, keepsNulls } = decoding;
  const { preserved } = place;
  const isOpen = schema?.additionalProperties === true;
  const members: [string, unknown][] = [];
  for (const key of memberNames(value, schema)) {
    const memberSchema = schemaOf(key, schema);
    const isProperty = !memberSchema || memberSchema === schema?.properties?.[key];
    const below = placeBelow(place, `.${key}`, isProperty ? `.${key}` : `[${key}]`, false);
    if (!memberSchema && !preserved && !isOpen && !isHead(key, schema) && Object.hasOwn(value, key)) {
      unknown.push(below.path);
      continue;
    }
    const own = getMember(value, key);
    const given = own !== undefined && isHead(key, schema) ? decodeHead(key, own, below.field, unknown) : own;
    let member = withDefault(given, memberSchema);
    if (member === undefined && keepsNulls && given === null && isTyped(memberSchema)) member = null;
    if (member === undefined) continue;
    // Below `additionalProperties: true`, nothing is known, whatever is preserved; metadata has been decoded already.
    const isFree = !memberSchema && ((preserved && !isOpen) || isHead(key, schema));
    members.push([key, decodeValue(member, memberSchema, { ...below, preserved: isFree }, decoding)]);
  }
  return Object.fromEntries(members);
}

function placeBelow({ path, field, depth }: Place, step: string, fieldStep: string, preserved: boolean): Place {
  return { path: joined(path, step), field: joined(field, fieldStep), depth: depth + 1, preserved };
}

/** Returns a path with a step: `.name`, or an index or a key in brackets. */
function joined(path: string, step: string): string {
  return path === '' && step.startsWith('.') ? step.slice(1) : path + step;
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
