import type { FieldType, TypedField, TypedSchema } from '../../typed/typed.schema.js';
import { META_SCHEMAS } from './meta.schemas.js';
import type { OpenApiDialect } from './open-api.dialects.js';
import type { OpenApiPart } from './swagger.schema.js';

const VALUES: Readonly<Record<string, OpenApiPart>> = {
  s: { type: 'string' },
  b: { type: 'boolean' },
  i: { type: 'integer', format: 'int32' },
  l: { type: 'integer', format: 'int64' },
  d: { type: 'number', format: 'double' },
  B: { type: 'string', format: 'byte' },
  M: { type: 'string', format: 'date-time' },
  D: { type: 'string' },
  Q: { type: 'string' },
  I: { 'x-kubernetes-int-or-string': true },
  R: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  F: { type: 'object' },
  J: { 'x-kubernetes-preserve-unknown-fields': true },
};

/** The schemas of the types of the built-in kinds: their fields, without descriptions. */
export class TypedSchemas {
  private readonly schemas: Record<string, OpenApiPart> = {};

  constructor(
    private readonly typed: TypedSchema,
    private readonly dialect: OpenApiDialect,
  ) {}

  /** The types that were described so far, by the names of their schemas. */
  get all(): Readonly<Record<string, OpenApiPart>> {
    return this.schemas;
  }

  /** Returns the fields of a kind's objects, undefined if the kind is not known. */
  propertiesOf(id: { group: string; version: string; kind: string }): OpenApiPart | undefined {
    const struct = this.typed.ofKind(id);
    return struct && this.properties(struct.fields);
  }

  private properties(fields: readonly TypedField[]): OpenApiPart {
    const properties: Record<string, OpenApiPart> = {};
    for (const { name, type, inline } of fields) {
      if (inline && type.kind === 'value') Object.assign(properties, this.properties(this.fieldsOf(type.of)));
      else properties[name] = this.schemaOf(type);
    }
    return Object.fromEntries(Object.entries(properties).sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  private schemaOf(type: FieldType): OpenApiPart {
    if (type.kind === 'list') return { type: 'array', items: this.schemaOf(type.of) };
    if (type.kind === 'map') return { type: 'object', additionalProperties: this.schemaOf(type.of) };
    if (type.of === 'T') return this.dialect.reference(META_SCHEMAS.time);
    if (type.of === 'meta.v1.ObjectMeta') return this.dialect.reference(META_SCHEMAS.objectMeta);
    return Object.hasOwn(VALUES, type.of) ? VALUES[type.of] : this.reference(type.of);
  }

  private reference(type: string): OpenApiPart {
    const name = type.startsWith('meta.') ? `io.k8s.apimachinery.pkg.apis.${type}` : `io.k8s.api.${type}`;
    if (!Object.hasOwn(this.schemas, name)) {
      // A type that contains itself must find its place taken.
      this.schemas[name] = {};
      this.schemas[name] = { type: 'object', properties: this.properties(this.fieldsOf(type)) };
    }
    return this.dialect.reference(name);
  }

  private fieldsOf(type: string): readonly TypedField[] {
    return this.typed.find(type)?.fields ?? [];
  }
}
