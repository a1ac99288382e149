import { parseJson } from 'kube-common';
import { MAGIC, SCHEMA, schemaUnion } from './protobuf.format.js';
import { readFields, type WireField } from './protobuf.reader.js';
import type { FieldType, TypedSchema, TypedStruct } from './typed.schema.js';

/**
 * The decoder of objects that clients send in protobuf, as `kubectl create` does, into their form in JSON.
 *
 * The bytes are four of magic and an envelope with the API version, the kind, and the object's own message.
 */
export class ProtobufDecoder {
  constructor(private readonly schema: TypedSchema) {}

  /** @throws RangeError if the bytes are no such object, or of a kind that is not built in */
  decode(bytes: Uint8Array): Record<string, unknown> {
    if (MAGIC.some((byte, index) => bytes[index] !== byte)) {
      throw new RangeError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
    }
    let apiVersion = '';
    let kind = '';
    let raw: Uint8Array = new Uint8Array();
    for (const { number, value } of readFields(bytes.subarray(MAGIC.length))) {
      if (number === 2) raw = value as Uint8Array;
      if (number !== 1) continue;
      for (const field of readFields(value as Uint8Array)) {
        if (field.number === 1) apiVersion = text(field);
        if (field.number === 2) kind = text(field);
      }
    }
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const struct =
      kind === 'DeleteOptions'
        ? this.schema.find('meta.v1.DeleteOptions')
        : this.schema.ofKind({ group, version, kind });
    if (!struct)
      throw new RangeError(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
    return { kind, apiVersion, ...this.message(raw, struct) };
  }

  private message(bytes: Uint8Array, struct: TypedStruct): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const wire of readFields(bytes)) {
      const field = struct.byNumber.get(wire.number);
      if (!field) continue;
      const { name } = field;
      const type = schemaUnion(struct, field);
      if (field.inline) Object.assign(result, this.value(wire, type));
      else if (type.kind === 'value') result[name] = this.value(wire, type);
      else if (type.kind === 'map') {
        const [key, item] = this.entry(wire, type.of);
        result[name] = { ...(result[name] as object | undefined), [key]: item };
      } else if (type.wrapped) result[name] = this.wrapped(wire, type.of);
      else result[name] = [...((result[name] as unknown[] | undefined) ?? []), this.value(wire, type.of)];
    }
    return result;
  }

  private entry({ value }: WireField, type: FieldType): [string, unknown] {
    let key = '';
    let item: unknown = type.kind === 'value' && (type.of === 's' || type.of === 'B') ? '' : null;
    for (const field of readFields(value as Uint8Array)) {
      if (field.number === 1) key = text(field);
      else if (type.kind === 'list') item = this.wrapped(field, type.of);
      else item = this.value(field, type);
    }
    return [key, item];
  }

  private wrapped({ value }: WireField, type: FieldType): unknown[] {
    return [...readFields(value as Uint8Array)].map((field) => this.value(field, type));
  }

  /** @param number the number of the schema; what is there instead has the other one of two */
  private schemaOr(wire: WireField, instead: (others: readonly WireField[]) => unknown, number = 1): unknown {
    const fields = [...readFields(wire.value as Uint8Array)];
    const schema = fields.find((field) => field.number === number);
    return schema ? this.value(schema, SCHEMA) : instead(fields.filter((field) => field.number !== number));
  }

  private value(wire: WireField, type: FieldType): unknown {
    if (type.kind !== 'value') return this.wrapped(wire, type.of as FieldType);
    const { value } = wire;
    switch (type.of) {
      case 's':
        return text(wire);
      case 'b':
        return value !== 0n;
      case 'i':
      case 'l':
        return integer(value as bigint);
      case 'd':
        return Number(value);
      case 'B':
        return Buffer.from(value as Uint8Array).toString('base64');
      case 'Q':
        return text(inner(wire, 1));
      case 'T':
      case 'M':
        return time(wire);
      case 'D':
        return `${Number(inner(wire, 1)?.value ?? 0) / 1e9}s`;
      case 'I':
        return inner(wire, 1)?.value === 1n ? text(inner(wire, 3)) : Number(inner(wire, 2)?.value ?? 0);
      case 'R':
      case 'J':
      case 'F':
        return json(inner(wire, 1));
      case 'schemaOrSchemas':
        return this.schemaOr(wire, (others) => others.map((each) => this.value(each, SCHEMA)));
      case 'schemaOrBool':
        return this.schemaOr(wire, () => inner(wire, 1)?.value === 1n, 2);
      case 'schemaOrTexts':
        return this.schemaOr(wire, (others) => others.map(text));
      default:
        return this.message(value as Uint8Array, this.schema.find(type.of)!);
    }
  }
}

function inner({ value }: WireField, number: number): WireField | undefined {
  return [...readFields(value as Uint8Array)].find((field) => field.number === number);
}

function text(field: WireField | undefined): string {
  return field ? Buffer.from(field.value as Uint8Array).toString('utf8') : '';
}

/** Reads a signed integer; the sign is in the highest of the 64 bits. */
function integer(value: bigint): number | bigint {
  const signed = BigInt.asIntN(64, value);
  return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
}

function json(field: WireField | undefined): unknown {
  const content = text(field);
  return content ? parseJson(content) : null;
}

function time(wire: WireField): string | null {
  const seconds = inner(wire, 1);
  if (!seconds) return null;
  const nanoseconds = Number(inner(wire, 2)?.value ?? 0);
  const start = new Date(Number(seconds.value) * 1000).toISOString().slice(0, 19);
  return `${start}.${String(Math.floor(nanoseconds / 1000)).padStart(6, '0')}Z`;
}
