import { isMapping, isNumeric } from '../common/json.values.js';
import { DecodingError } from '../errors/field.error.js';
import { canonicalQuantity } from '../resources/quantity.js';
import { canonicalBase64 } from './base64.js';
import { SCHEMA, schemaUnion } from './protobuf.format.js';
import { describeQuantityError } from './type.mismatch.js';
import { describeTimeError, toWholeSeconds } from '../common/go-time.js';
import type { FieldType, TypedSchema, TypedStruct } from './typed.schema.js';

const TYPE_NAMES: Readonly<Record<string, string>> = {
  s: 'string',
  b: 'bool',
  i: 'int32',
  l: 'int64',
  d: 'float64',
  B: '[]uint8',
  T: 'string',
  M: 'string',
};

/** The decoder of objects of built-in types: checks types, leaves out what is unknown or empty. */
export class TypedDecoder {
  constructor(private readonly schema: TypedSchema) {}

  /**
   * @param path the value's own path, empty for an object
   * @param unknown gets the paths of the unknown fields
   * @throws DecodingError if a value is of a wrong type
   */
  decode(value: unknown, struct: TypedStruct, path: string, unknown: string[]): Record<string, unknown> {
    if (!isMapping(value)) throw mistyped(value, `${struct.name}.${withoutIndexes(path)}`, `v1.${struct.name}`);
    const result = this.decodeFields(value, struct, path, unknown);
    for (const name of Object.keys(value)) {
      const isKind = struct.name === 'PersistentVolumeClaim' && (name === 'kind' || name === 'apiVersion');
      if (!struct.names.has(name) && !isKind) unknown.push(path ? `${path}.${name}` : name);
    }
    return result;
  }

  private decodeFields(
    value: Readonly<Record<string, unknown>>,
    struct: TypedStruct,
    path: string,
    unknown: string[],
  ): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const field of struct.fields) {
      const inlined = this.schema.inlined(field);
      if (inlined) {
        Object.assign(result, this.decodeFields(value, inlined, path, unknown));
        continue;
      }
      const member = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
      if (member === undefined || member === null) continue;
      const memberPath = path ? `${path}.${field.name}` : field.name;
      const decoded = this.decodeValue(member, schemaUnion(struct, field), struct, memberPath, unknown);
      const isKept = field.optional || !field.omitEmpty || field.type.kind !== 'value' || field.type.of === 'R';
      if (isKept || !isEmpty(decoded)) result[field.name] = decoded;
    }
    return result;
  }

  private decodeValue(value: unknown, type: FieldType, owner: TypedStruct, path: string, unknown: string[]): unknown {
    if (type.kind === 'list') {
      if (!Array.isArray(value)) throw this.mistyped(value, type, owner, path);
      const { of } = type;
      return value.map((item, index) =>
        this.decodeValue(item ?? nullItem(of), of, owner, `${path}[${index}]`, unknown),
      );
    }
    if (type.kind === 'map') {
      if (!isMapping(value)) throw this.mistyped(value, type, owner, path);
      const keys = Object.keys(value).sort();
      return Object.fromEntries(
        keys.map((key) => [key, this.decodeValue(value[key], type.of, owner, `${path}.${key}`, unknown)]),
      );
    }
    const struct = type.of.length > 1 ? this.schema.find(type.of) : undefined;
    return struct ? this.decode(value, struct, path, unknown) : this.decodeScalar(value, type, owner, path);
  }

  private decodeScalar(value: unknown, type: FieldType, owner: TypedStruct, path: string): unknown {
    if (value === null) return zeroOf(type.of as string);
    switch (type.of) {
      case 'B':
        if (Array.isArray(value) && value.every(isByte)) return Buffer.from(value as number[]).toString('base64');
        this.expect(typeof value === 'string', value, type, owner, path);
        return canonicalBase64(value as string);
      case 's':
        return this.expect(typeof value === 'string', value, type, owner, path);
      case 'b':
        return this.expect(typeof value === 'boolean', value, type, owner, path);
      case 'l':
        return this.expect(typeof value === 'bigint' || isInt64(value), value, type, owner, path);
      case 'i':
        return this.expect(isInt32(value), value, type, owner, path);
      case 'd':
        return this.expect(isNumeric(value), value, type, owner, path);
      case 'T':
      case 'M':
        this.expect(typeof value === 'string', value, type, owner, path);
        return decodeTime(value as string, type.of === 'M');
      case 'Q':
        if (describeQuantityError(value) !== undefined) throw new DecodingError(describeQuantityError(value)!);
        return canonicalQuantity(value);
      case 'I':
        return this.expect(typeof value === 'string' || isInt32(value), value, type, owner, path);
      case 'schemaOrSchemas':
      case 'schemaOrBool':
      case 'schemaOrTexts':
        return this.decodeUnion(value);
      default:
        return value;
    }
  }

  /** Decodes the schemas of CRDs. Go decodes them by other code, which does not report unknown fields. */
  private decodeUnion(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.decodeUnion(each));
    return isMapping(value) ? this.decode(value, this.schema.find(SCHEMA.of)!, '', []) : value;
  }

  private expect(holds: boolean, value: unknown, type: FieldType, owner: TypedStruct, path: string): unknown {
    if (!holds) throw this.mistyped(value, type, owner, path);
    return value;
  }

  private mistyped(value: unknown, type: FieldType, owner: TypedStruct, path: string): DecodingError {
    return mistyped(value, `${owner.name}.${withoutIndexes(path)}`, typeName(type));
  }
}

function isInt32(value: unknown): boolean {
  return Number.isInteger(value) && value === ((value as number) | 0);
}

function isInt64(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) < 2 ** 63;
}

function mistyped(value: unknown, field: string, type: string): DecodingError {
  const actual = Array.isArray(value)
    ? 'array'
    : typeof value === 'boolean'
      ? 'bool'
      : isNumeric(value)
        ? 'number'
        : typeof value;
  const shown = isNumeric(value) && /^u?int/.test(type) ? `number ${value}` : actual;
  return new DecodingError(`json: cannot unmarshal ${shown} into Go struct field ${field} of type ${type}`);
}

function typeName(type: FieldType): string {
  if (type.kind === 'list') return `[]${typeName(type.of)}`;
  if (type.kind === 'map') return `map[string]${typeName(type.of)}`;
  return TYPE_NAMES[type.of] ?? `v1.${type.of.split('.').at(-1)}`;
}

function withoutIndexes(path: string): string {
  return path.replace(/\[\d+\]/g, '').replace(/(^|\.)(data|labels|annotations|stringData|binaryData)\..*$/, '$1$2');
}

/** Returns the empty structure, list or map that Go makes of a null in a list. */
function nullItem(type: FieldType): unknown {
  if (type.kind === 'list') return [];
  return type.kind === 'map' || type.of.length > 1 ? {} : null;
}

/** Returns what Go decodes a null to. */
function zeroOf(type: string): unknown {
  return type === 's' || type === 'B' ? '' : type === 'b' ? false : type === 'T' || type === 'M' ? null : 0;
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === 0 || value === false || value === null) return true;
  return Array.isArray(value) ? value.length === 0 : isMapping(value) && Object.keys(value).length === 0;
}

/**
 * Brings a time into the server's form: UTC with seconds, or with microseconds.
 *
 * @throws DecodingError if the text is no time
 */
function decodeTime(text: string, microseconds: boolean): string | null {
  const problem = describeTimeError(text, microseconds);
  if (problem !== undefined) throw new DecodingError(problem);
  const seconds = toWholeSeconds(text);
  if (!microseconds) return seconds;
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return seconds.replace('Z', `.${fraction.slice(0, 6).padEnd(6, '0')}Z`);
}

/** Whether a value is a byte: Go reads bytes from a list of numbers, too; null is zero. */
function isByte(value: unknown): boolean {
  return value === null || (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255);
}
