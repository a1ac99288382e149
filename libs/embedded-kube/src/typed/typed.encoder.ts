import { isMapping } from '../common/json.values.js';
import { SCHEMA, schemaUnion } from './protobuf.format.js';
import type { FieldType, TypedField, TypedSchema, TypedStruct } from './typed.schema.js';

const SCALARS: ReadonlySet<string> = new Set(['s', 'b', 'i', 'l', 'd']);
/** The objects inside others, which carry their kind. */
const EMBEDDED_KINDS: Readonly<Record<string, object>> = {
  'core.v1.PersistentVolumeClaim': { kind: 'PersistentVolumeClaim', apiVersion: 'v1' },
};

function countOf(value: unknown): number {
  return Array.isArray(value) ? value.length : isMapping(value) ? Object.keys(value).length : 1;
}

/** A function that writes one member of a struct. */
interface FieldEncoder {
  readonly name: string;
  /** Whether empty lists or maps are left out. */
  readonly collects: boolean;
  /** Encodes the member; absent where it is written as it is. */
  readonly encode?: (value: unknown) => unknown;
  /** Makes the value that is written without the member; absent where nothing is written. */
  readonly zero?: () => unknown;
}

/**
 * The encoder of objects of built-in types in the form in which the server writes them: fields in order, empty ones that it always writes.
 */
export class TypedEncoder {
  /** The fields of types that were encoded already: each write encodes an object, some of them twice. */
  private readonly encoders = new WeakMap<TypedStruct, readonly FieldEncoder[]>();

  /**
   * @param keepsEmpty whether empty lists and maps in fields that are always written are kept, as in requests: objects stored in protobuf
   * have none
   */
  constructor(
    private readonly schema: TypedSchema,
    private readonly keepsEmpty = false,
  ) {}

  encode(value: Readonly<Record<string, unknown>>, struct: TypedStruct): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const { name, collects, encode, zero } of this.encodersOf(struct)) {
      const member = value[name];
      const isLost = collects && typeof member === 'object' && countOf(member) === 0;
      if (member !== undefined && !isLost) result[name] = encode ? encode(member) : member;
      else if (zero) result[name] = zero();
    }
    return result;
  }

  private encodersOf(struct: TypedStruct): readonly FieldEncoder[] {
    let encoders = this.encoders.get(struct);
    if (!encoders) {
      encoders = struct.fields.flatMap((field) => {
        const inlined = this.schema.inlined(field);
        return inlined ? this.encodersOf(inlined) : [this.fieldEncoder({ ...field, type: schemaUnion(struct, field) })];
      });
      this.encoders.set(struct, encoders);
    }
    return encoders;
  }

  private fieldEncoder({ name, type, optional, omitEmpty }: TypedField): FieldEncoder {
    const encode = this.valueEncoder(type);
    // Pointers to texts and numbers that are always written are null without them.
    const isNullable = !omitEmpty && type.kind === 'value' && SCALARS.has(type.of);
    const zero = !optional && !omitEmpty ? () => this.zero(type) : isNullable ? () => null : undefined;
    const collects = type.kind !== 'value' && !(this.keepsEmpty && !omitEmpty);
    return { name, collects, ...(encode && { encode }), ...(zero && { zero }) };
  }

  /** Makes the function that encodes values of a type; `undefined` if they are written as they are. */
  private valueEncoder(type: FieldType): ((value: unknown) => unknown) | undefined {
    if (type.kind === 'value') return this.structEncoder(type.of);
    const encode = this.valueEncoder(type.of);
    if (type.kind === 'list') {
      return encode && ((value) => (Array.isArray(value) ? value.map((item) => encode(item)) : value));
    }
    if (!encode || type.of.kind !== 'value') return undefined;
    return (value) =>
      isMapping(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, encode(item)])) : value;
  }

  private structEncoder(name: string): ((value: unknown) => unknown) | undefined {
    if (name === 'schemaOrSchemas' || name === 'schemaOrBool' || name === 'schemaOrTexts') return this.encodeUnion;
    const struct = name.length > 1 ? this.schema.find(name) : undefined;
    if (!struct) return undefined;
    const kind = EMBEDDED_KINDS[name];
    return (value) => {
      if (!isMapping(value)) return value;
      return kind ? { ...kind, ...this.encode(value, struct) } : this.encode(value, struct);
    };
  }

  /** Encodes what is a schema, a list of schemas, or something else. */
  private readonly encodeUnion = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(this.encodeUnion);
    return isMapping(value) ? this.encode(value, this.schema.find(SCHEMA.of)!) : value;
  };

  private zero(type: FieldType): unknown {
    if (type.kind !== 'value') return null;
    switch (type.of) {
      case 's':
        return '';
      case 'b':
        return false;
      case 'i':
      case 'l':
      case 'd':
      case 'I':
        return 0;
      case 'Q':
        return '0';
      case 'D':
        return '0s';
      default: {
        const struct = type.of.length > 1 ? this.schema.find(type.of) : undefined;
        return struct ? this.encode({}, struct) : null;
      }
    }
  }
}
