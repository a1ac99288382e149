import { isMapping } from '../common/json.values.js';
import type { FieldType, TypedSchema, TypedStruct } from './typed.schema.js';

const SCALARS: ReadonlySet<string> = new Set(['s', 'b', 'i', 'l', 'd']);
/** Objects inside others, which say what they are. */
const EMBEDDED_KINDS: Readonly<Record<string, object>> = {
  'core.v1.PersistentVolumeClaim': { kind: 'PersistentVolumeClaim', apiVersion: 'v1' },
};

function countOf(value: unknown): number {
  return Array.isArray(value) ? value.length : isMapping(value) ? Object.keys(value).length : 1;
}

/** Brings objects of built-in types into the form in which the server writes them: fields in order, empty ones that it always writes. */
export class TypedEncoder {
  constructor(private readonly schema: TypedSchema) {}

  encode(value: Readonly<Record<string, unknown>>, struct: TypedStruct): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const field of struct.fields) {
      const inlined = this.schema.inlined(field);
      if (inlined) {
        Object.assign(result, this.encode(value, inlined));
        continue;
      }
      const { name, type, optional, omitEmpty } = field;
      const member = value[name];
      // What is stored in protobuf knows no empty lists and maps.
      const isLost = type.kind !== 'value' && countOf(member) === 0;
      if (member !== undefined && !isLost) result[name] = this.encodeValue(member, type);
      else if (!optional && !omitEmpty) result[name] = this.zero(type);
      // Pointers to texts and numbers that are always written are null without them.
      else if (!omitEmpty && type.kind === 'value' && SCALARS.has(type.of)) result[name] = null;
    }
    return result;
  }

  private encodeValue(value: unknown, type: FieldType): unknown {
    if (type.kind === 'list')
      return Array.isArray(value) ? value.map((item) => this.encodeValue(item, type.of)) : value;
    if (type.kind === 'map') {
      if (!isMapping(value) || type.of.kind !== 'value' || type.of.of.length === 1) return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, this.encodeValue(item, type.of as FieldType)]),
      );
    }
    const struct = type.of.length > 1 ? this.schema.find(type.of) : undefined;
    if (!struct || !isMapping(value)) return value;
    const kind = EMBEDDED_KINDS[type.of];
    return kind ? { ...kind, ...this.encode(value, struct) } : this.encode(value, struct);
  }

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
