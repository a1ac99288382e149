import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from './cel.type.js';
import { ANYTHING, type DeclaredField, type DeclaredType, escapeFieldName } from './declared.type.js';

/** The part of a schema that decides about the type of its data, and about the limits of its size. */
export interface DeclaredSchema {
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, DeclaredSchema>>;
  readonly additionalProperties?: boolean | DeclaredSchema;
  readonly items?: DeclaredSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

/** The largest request that the real server accepts, which limits what has no limit in its schema. */
const MAX_REQUEST = 3 * 1024 * 1024;

const TEXT: DeclaredSchema = { type: 'string' };
const METADATA: DeclaredSchema = { type: 'object', properties: { name: TEXT, generateName: TEXT } };

/**
 * Returns the type that expressions see of data with a schema; undefined for data without a type, which they cannot see.
 *
 * @param isRoot adds what every object has: `apiVersion`, `kind`, `metadata.name` and `metadata.generateName`
 * @param free the type of data whose unknown fields are preserved; without it, expressions see only the fields that the schema has
 */
export function declareSchema(
  schema: DeclaredSchema,
  name: string,
  isRoot = false,
  free?: DeclaredType,
): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string']) {
    return { ...ANYTHING, maxElements: textLimit(schema) };
  }
  if (free && schema['x-kubernetes-preserve-unknown-fields']) return free;
  switch (schema.type) {
    case 'array':
      return declareList(schema, name, free);
    case 'object':
      return declareObject(isRoot ? withHead(schema) : schema, name, free);
    case 'string':
      return declareText(schema);
    case 'boolean':
      return scalar(BOOL, 4);
    case 'number':
      return scalar(DOUBLE, 1);
    case 'integer':
      return scalar(INT, 1);
    default:
      return undefined;
  }
}

/** Returns how often data of a schema can occur in one object at the most, if nothing else limits that. */
export function maxCardinality({ minSize }: DeclaredType): number {
  return Math.floor(MAX_REQUEST / (minSize + 1));
}

function withHead(schema: DeclaredSchema): DeclaredSchema {
  return { ...schema, properties: { ...schema.properties, apiVersion: TEXT, kind: TEXT, metadata: METADATA } };
}

/** Returns the size of a scalar: values without items or characters have none. */
function scalar(type: CelType, minSize: number, maxElements = 0): DeclaredType {
  return { type, minSize, maxElements };
}

function declareList(schema: DeclaredSchema, name: string, free?: DeclaredType): DeclaredType | undefined {
  const { items, maxItems } = schema;
  const element = items && declareSchema(items, `${name}.@idx`, items['x-kubernetes-embedded-resource'], free);
  if (!element) return undefined;
  const kind = schema['x-kubernetes-list-type'];
  const identity =
    kind === 'set' || kind === 'map' ? { kind, keys: schema['x-kubernetes-list-map-keys'] ?? [] } : undefined;
  const fitting = Math.floor((MAX_REQUEST - 2) / (element.minSize + 1));
  return { type: listOf(element.type), element, identity, minSize: 2, maxElements: Math.max(maxItems ?? fitting, 0) };
}

function declareObject(schema: DeclaredSchema, name: string, free?: DeclaredType): DeclaredType | undefined {
  const { additionalProperties, maxProperties } = schema;
  if (typeof additionalProperties === 'object') {
    const isRoot = additionalProperties['x-kubernetes-embedded-resource'];
    const element = declareSchema(additionalProperties, `${name}.@elem`, isRoot, free);
    if (!element) return undefined;
    const fitting = Math.floor((MAX_REQUEST - 2) / (element.minSize + 6));
    const maxElements = Math.max(maxProperties ?? fitting, 0);
    return { type: mapOf(STRING, element.type), element, minSize: 2, maxElements };
  }
  return declareFields(schema, name, free);
}

function declareFields(
  { properties = {}, required = [] }: DeclaredSchema,
  name: string,
  free?: DeclaredType,
): DeclaredType {
  const fields = new Map<string, DeclaredField>();
  let minSize = 2;
  for (const [key, property] of Object.entries(properties)) {
    const declared = declareSchema(property, `${name}.${key}`, property['x-kubernetes-embedded-resource'], free);
    if (!declared) continue;
    const escaped = escapeFieldName(key);
    if (escaped !== undefined) fields.set(escaped, { name: key, declared });
    if (required.includes(key) && property.default === undefined) minSize += key.length + declared.minSize + 4;
  }
  const types = new Map([...fields].map(([field, { declared }]) => [field, declared.type]));
  return { type: struct(name, types), fields, minSize, maxElements: 0 };
}

function declareText(schema: DeclaredSchema): DeclaredType {
  const { format, maxLength } = schema;
  switch (format) {
    case 'byte':
      return scalar(BYTES, 2, Math.max(maxLength ?? MAX_REQUEST - 2, 0));
    case 'duration':
      return scalar(DURATION, 3, 32);
    case 'date':
      return { ...scalar(TIMESTAMP, 12, 12), format };
    case 'date-time':
      return scalar(TIMESTAMP, 21, 32);
    default:
      return scalar(STRING, 2, textLimit(schema));
  }
}

/** Returns the limit of a text in bytes; a character can take four, by which sizes are counted. */
function textLimit(schema: DeclaredSchema): number {
  if (schema.maxLength !== undefined) return Math.max(schema.maxLength, 0) * 4;
  if (schema['x-kubernetes-int-or-string'] || !schema.enum?.length) return MAX_REQUEST - 2;
  const lengths = schema.enum.map((each) => (typeof each === 'string' ? Buffer.byteLength(each) : 0));
  return Math.max(...lengths);
}
