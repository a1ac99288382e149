import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from '../../cel/values/cel.type.js';
import { ANYTHING, escapeFieldName } from '../../cel/values/declared.type.js';
import { declareSchema, type DeclaredSchema } from '../../cel/values/schema.declaration.js';
import type { ServedResource } from '../../resources/served.resource.js';
import { type FieldType, kindTypeName, TypedSchema, type TypedStruct } from '../../typed/typed.schema.js';

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
  if (served.custom) return customType(served.schema as DeclaredSchema | undefined);
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

function customType(schema: DeclaredSchema | undefined): CelType | undefined {
  if (schema?.type !== 'object' || schema['x-kubernetes-preserve-unknown-fields']) return undefined;
  const fields = Object.entries(schema.properties ?? {}).map(
    ([key, each]) => [key, declareSchema(each, key, each['x-kubernetes-embedded-resource'], ANYTHING)?.type] as const,
  );
  return named('Object', new Map([...fields, ...headTypes()]));
}

/** Makes a structure of the fields that have a type and a name that expressions can use. */
function named(name: string, fields: ReadonlyMap<string, CelType | undefined>): CelType {
  const usable = new Map<string, CelType>();
  for (const [key, type] of fields) {
    const escaped = escapeFieldName(key);
    if (type && escaped !== undefined) usable.set(escaped, type);
  }
  return struct(name, usable);
}
