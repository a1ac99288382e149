import { describeTimeError } from '../common/go-time.js';
import { isMapping, isNumeric, jsonTypeName } from '../common/json.values.js';
import { canonicalBase64 } from './base64.js';
import { describeQuantityError } from './type.mismatch.js';
import type { FieldType, TypedSchema, TypedStruct } from './typed.schema.js';

const KINDS: Readonly<Record<string, string>> = { s: 'string', b: 'bool', i: 'int32', l: 'int64', d: 'float64' };

/**
 * Finds the error that the real server reports for an object that a strategic merge patch has made, and that does not fit its built-in
 * type: it converts the object field by field in the order of the type, and stops at the first one.
 *
 * @returns `undefined` if the object fits
 */
export function describeConversion(schema: TypedSchema, value: unknown, struct: TypedStruct): string | undefined {
  if (!isMapping(value)) return `cannot restore struct from: ${kindOf(value)}`;
  for (const field of struct.fields) {
    const inlined = schema.inlined(field);
    const member = inlined ? value : value[field.name];
    if (member === undefined || member === null) continue;
    const problem = inlined ? describeConversion(schema, value, inlined) : describeValue(schema, member, field.type);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function describeValue(schema: TypedSchema, value: unknown, type: FieldType): string | undefined {
  if (value === null) return undefined;
  if (type.kind === 'value') {
    const struct = type.of.length > 1 ? schema.find(type.of) : undefined;
    return struct ? describeConversion(schema, value, struct) : describeScalar(value, type);
  }
  const isList = type.kind === 'list';
  if (isList ? !Array.isArray(value) : !isMapping(value)) {
    return `cannot restore ${isList ? 'slice' : 'map'} from ${kindOf(value)}`;
  }
  for (const item of Object.values(value as object)) {
    const problem = describeValue(schema, item, type.of);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function describeScalar(value: unknown, type: FieldType & { kind: 'value' }): string | undefined {
  const kind = KINDS[type.of];
  if (kind !== undefined) return describeSimple(value, kind, type.goName ?? kind);
  switch (type.of) {
    case 'B':
      return typeof value === 'string' ? describeBytes(value) : `cannot restore slice from ${kindOf(value)}`;
    case 'T':
    case 'M':
      return typeof value === 'string' ? describeTimeError(value, type.of === 'M') : mistyped(value, 'string');
    case 'D':
      return typeof value === 'string' ? undefined : mistyped(value, 'string');
    case 'Q':
      return describeQuantityError(value);
    case 'I':
      if (typeof value === 'string') return undefined;
      return Number.isInteger(value) ? undefined : mistyped(value, 'int32');
    default:
      return undefined;
  }
}

function describeSimple(value: unknown, kind: string, name: string): string | undefined {
  const given = kindOf(value);
  const isNumber = isNumeric(value);
  if (kind === 'string' || kind === 'bool') {
    if (given === kind) return undefined;
    // Go would make a character of a number.
    return kind === 'string' && given === 'int64' ? `cannot convert int64 to ${name}` : `unrecognized type: ${kind}`;
  }
  if (!isNumber) return `unrecognized type: ${kind}`;
  return kind === 'float64' || given === 'int64' ? undefined : `cannot convert float64 to ${name}`;
}

function describeBytes(text: string): string | undefined {
  try {
    canonicalBase64(text);
    return undefined;
  } catch (error) {
    return `error decoding from json: ${(error as Error).message}`;
  }
}

function mistyped(value: unknown, type: string): string {
  const shown = isNumeric(value) && type === 'int32' ? `number ${value}` : jsonTypeName(value);
  return `json: cannot unmarshal ${shown} into Go value of type ${type}`;
}

/** Returns the kind of a decoded value in the real server. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (isNumeric(value)) return typeof value === 'bigint' || Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'map';
}
