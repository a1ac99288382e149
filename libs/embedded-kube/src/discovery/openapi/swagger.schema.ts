import { isMapping } from '../../common/json.values.js';

/** A part of an OpenAPI document. */
export type OpenApiPart = Readonly<Record<string, unknown>>;

const JUNCTORS = ['allOf', 'oneOf', 'anyOf', 'not'];

/**
 * Writes the schema of a custom resource so that it can stand in Swagger 2.0, as the real server does: without what `kubectl` would
 * misunderstand there, at the price of saying less.
 */
export function swaggerSchema(schema: OpenApiPart): OpenApiPart {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!JUNCTORS.includes(key)) result[key] = converted(key, value);
  }
  const { nullable } = result;
  const preserves = result['x-kubernetes-preserve-unknown-fields'] === true;
  if (nullable === true) {
    delete result['type'];
    delete result['nullable'];
  }
  if (nullable === true || preserves) {
    delete result['items'];
    delete result['properties'];
  }
  const { type } = result;
  if ((type === 'array' && !result['items']) || (type === 'object' && preserves)) delete result['type'];
  const isNullable = (name: string): boolean =>
    isMapping(schema['properties']) &&
    isMapping(schema['properties'][name]) &&
    schema['properties'][name]['nullable'] === true;
  if (Array.isArray(result['required'])) {
    const required = result['required'].filter((name) => !isNullable(String(name)));
    if (required.length > 0) result['required'] = required;
    else delete result['required'];
  }
  return result;
}

function converted(key: string, value: unknown): unknown {
  if (!isMapping(value)) return value;
  if (key === 'items' || key === 'additionalProperties') return swaggerSchema(value);
  if (key !== 'properties') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isMapping(inner) ? swaggerSchema(inner) : inner]),
  );
}
