import { isMapping } from '../../common/json.values.js';

/** A schema as a definition has it before it is checked: it can have any field. */
export type RawSchema = Readonly<Record<string, unknown>>;

export function asSchema(value: unknown): RawSchema | undefined {
  return isMapping(value) ? value : undefined;
}

/** Returns the named schemas of `properties` and the like, in alphabetical order. */
export function namedSchemas(value: unknown): (readonly [string, RawSchema])[] {
  if (!isMapping(value)) return [];
  const entries = Object.entries(value).filter((entry): entry is [string, RawSchema] => isMapping(entry[1]));
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns the schemas of `allOf` and the like. */
export function listedSchemas(value: unknown): RawSchema[] {
  return Array.isArray(value) ? value.map((each) => asSchema(each) ?? {}) : [];
}

export function typeOf(schema: RawSchema): string {
  return typeof schema['type'] === 'string' ? schema['type'] : '';
}

export function isTrue(value: unknown): boolean {
  return value === true;
}

/** Whether a field is set: empty texts and lists are not. */
export function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isMapping(value) || Object.keys(value).length > 0;
}

/** Checks a schema and all schemas in it. */
export function someSchema(schema: RawSchema | undefined, holds: (schema: RawSchema) => boolean): boolean {
  if (!schema) return false;
  if (holds(schema)) return true;
  return childSchemas(schema).some((child) => someSchema(child, holds));
}

function childSchemas(schema: RawSchema): RawSchema[] {
  const single = ['items', 'not', 'additionalProperties', 'additionalItems'].map((key) => asSchema(schema[key]));
  const listed = ['allOf', 'anyOf', 'oneOf', 'items'].flatMap((key) => listedSchemas(schema[key]));
  const named = ['properties', 'patternProperties', 'definitions', 'dependencies'].flatMap((key) =>
    namedSchemas(schema[key]),
  );
  return [...single.filter((each) => each !== undefined), ...listed, ...named.map(([, each]) => each)];
}
