import type { FieldType, TypedField, TypedStruct } from './typed.schema.js';

/** The bytes that every object in protobuf begins with. */
export const MAGIC = [0x6b, 0x38, 0x73, 0];

const SCHEMA_TYPE = 'JSONSchemaProps';

/** The type of a schema in a CRD. */
export const SCHEMA = { kind: 'value', of: `apiextensions.v1.${SCHEMA_TYPE}` } as const;

/** The members of a schema that are a schema or something else; in protobuf, unlike in JSON, they are messages with both. */
const SCHEMA_UNIONS: Readonly<Record<string, FieldType>> = {
  items: { kind: 'value', of: 'schemaOrSchemas' },
  additionalProperties: { kind: 'value', of: 'schemaOrBool' },
  additionalItems: { kind: 'value', of: 'schemaOrBool' },
  dependencies: { kind: 'map', of: { kind: 'value', of: 'schemaOrTexts' } },
};

/** Returns the type that a field has in protobuf. */
export function schemaUnion(struct: TypedStruct, { name, type }: Pick<TypedField, 'name' | 'type'>): FieldType {
  return (struct.name === SCHEMA_TYPE && SCHEMA_UNIONS[name]) || type;
}
