import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from '../../cel/values/cel.type.js';
import { escapeFieldName } from '../../cel/values/declared.type.js';
import type { ServedResource } from '../../resources/served.resource.js';
import { type FieldType, kindTypeName, TypedSchema, type TypedStruct } from '../../typed/typed.schema.js';

/** The part of a custom resource's schema that decides about types. */
interface ObjectSchema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly additionalProperties?: boolean | ObjectSchema;
  readonly items?: ObjectSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

const SCHEMA = new TypedSchema();
const METADATA = 'meta.v1.ObjectMeta';

const SCALARS: Readonly<Record<string, CelType>> = {
  s: STRING,
  b: BOOL,
  i: INT,
  l: INT,
  d: DOUBLE,
  B: BYTES,
  T: TIMESTAMP,
  M: TIMESTAMP,
  D: STRING,
  I: DYN,
  R: struct('Object'),
  F: struct('FieldsV1'),
};

/** The type of the objects of a resource, as expressions see them; `undefined` if nothing is known about it. */
export function objectType(served: ServedResource): CelType | undefined {
  if (served.custom) return customType(served.schema as ObjectSchema | undefined);
  const name = kindTypeName(served.resource);
  return SCHEMA.find(name) && structType(name, []);
}

/** @param outer the names of the structures around this one: one that is twice inside of itself has no type */
function structType(name: string, outer: readonly string[]): CelType | undefined {
  const found = SCHEMA.find(name);
  if (!found || outer.indexOf(name) !== outer.lastIndexOf(name)) return undefined;
  const isRoot = outer.length === 0;
  const fields = new Map<string, CelType | undefined>(isRoot ? headTypes() : []);
  addFields(found, fields, [...outer, name]);
  return named(name, fields);
}

function addFields(of: TypedStruct, fields: Map<string, CelType | undefined>, outer: readonly string[]): void {
  for (const field of of.fields) {
    const inlined = SCHEMA.inlined(field);
    if (inlined) addFields(inlined, fields, outer);
    else fields.set(field.name, fieldType(field.type, outer));
  }
}

/** Returns the types of what every object has. */
function headTypes(): [string, CelType | undefined][] {
  return [
    ['apiVersion', STRING],
    ['kind', STRING],
    ['metadata', structType(METADATA, ['Object'])],
  ];
}

/** Quantities, any JSON, and what holds them have no type in the server's schemas, so that expressions cannot name them. */
function fieldType(type: FieldType, outer: readonly string[]): CelType | undefined {
  if (type.kind === 'value') return SCALARS[type.of] ?? structType(type.of, outer);
  const inner = fieldType(type.of, outer);
  if (!inner) return undefined;
  return type.kind === 'list' ? listOf(inner) : mapOf(STRING, inner);
}

function customType(schema: ObjectSchema | undefined): CelType | undefined {
  if (schema?.type !== 'object' || schema['x-kubernetes-preserve-unknown-fields']) return undefined;
  const fields = new Map(Object.entries(schema.properties ?? {}).map(([key, each]) => [key, schemaType(each, key)]));
  return named('Object', new Map([...fields, ...headTypes()]));
}

function schemaType(schema: ObjectSchema, name: string): CelType | undefined {
  const { type, format, properties = {}, additionalProperties, items } = schema;
  if (schema['x-kubernetes-int-or-string'] || schema['x-kubernetes-preserve-unknown-fields']) return DYN;
  switch (type) {
    case 'array': {
      const item = items && schemaType(items, `${name}.@idx`);
      return item && listOf(item);
    }
    case 'object': {
      const value = typeof additionalProperties === 'object' && schemaType(additionalProperties, `${name}.@elem`);
      if (value) return mapOf(STRING, value);
      const members = Object.entries(properties).map(
        ([key, each]) => [key, schemaType(each, `${name}.${key}`)] as const,
      );
      return named(name, new Map(members));
    }
    case 'string':
      return TEXT_FORMATS[format ?? ''] ?? STRING;
    case 'boolean':
      return BOOL;
    case 'integer':
      return INT;
    case 'number':
      return DOUBLE;
    default:
      return undefined;
  }
}

const TEXT_FORMATS: Readonly<Record<string, CelType>> = {
  byte: BYTES,
  date: TIMESTAMP,
  'date-time': TIMESTAMP,
  duration: DURATION,
};

/** Makes a structure of the fields that have a type and a name that expressions can use. */
function named(name: string, fields: ReadonlyMap<string, CelType | undefined>): CelType {
  const usable = new Map<string, CelType>();
  for (const [key, type] of fields) {
    const escaped = escapeFieldName(key);
    if (type && escaped !== undefined) usable.set(escaped, type);
  }
  return struct(name, usable);
}
