import { METADATA_TYPE } from './metadata.type.js';
import { FREE, type MapType, once, OPAQUE, type ValueType } from './value.type.js';

/** The part of a custom resource's schema by which its fields are merged. */
export interface CustomSchema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, CustomSchema>>;
  readonly additionalProperties?: boolean | CustomSchema;
  readonly items?: CustomSchema;
  readonly default?: unknown;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
}

const OBJECT_FIELDS: Readonly<Record<string, ValueType>> = {
  apiVersion: { scalar: 'string' },
  kind: { scalar: 'string' },
  metadata: METADATA_TYPE,
};

/** Returns the type of a custom resource's objects. */
export function customType(schema: CustomSchema): ValueType {
  return { map: mapType(schema, schema['x-kubernetes-preserve-unknown-fields'] === true, OBJECT_FIELDS) };
}

function valueType(schema: CustomSchema, preserved: boolean): ValueType {
  const preserves = preserved || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case 'object':
      return {
        map: mapType(schema, preserves, schema['x-kubernetes-embedded-resource'] ? OBJECT_FIELDS : {}),
      };
    case 'array':
      return { list: { ...listIdentity(schema), items: once(() => valueType(schema.items ?? {}, preserves)) } };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      return { scalar: !schema.format || schema.format === 'byte' ? 'string' : 'any' };
    default:
      return preserves ? FREE : OPAQUE;
  }
}

function mapType(schema: CustomSchema, preserves: boolean, common: Readonly<Record<string, ValueType>>): MapType {
  const { properties = {}, additionalProperties } = schema;
  const fields = new Map(Object.entries(common));
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    field: (name) => {
      if (!fields.has(name) && Object.hasOwn(properties, name)) {
        fields.set(name, valueType(properties[name]!, preserves));
      }
      return fields.get(name);
    },
    others: once(() => {
      if (typeof additionalProperties === 'object') return valueType(additionalProperties, preserves);
      const isBare = schema.properties === undefined && additionalProperties === undefined;
      return preserves || additionalProperties || isBare ? FREE : undefined;
    }),
  };
}

function listIdentity(schema: CustomSchema): {
  keys?: readonly string[];
  defaults?: Readonly<Record<string, unknown>>;
} {
  const { items = {}, 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  if (type === 'set') return { keys: [] };
  if (type !== 'map') return {};
  const defaults = keys
    .map((key) => [key, items.properties?.[key]?.default])
    .filter(([, value]) => value !== undefined);
  return { keys, defaults: Object.fromEntries(defaults) as Record<string, unknown> };
}
