import { stringifyJson } from 'kube-common';
import { isMapping, mapping } from '../common/json.values.js';
import { MAGIC, schemaUnion } from './protobuf.format.js';
import { ProtobufWriter } from './protobuf.writer.js';
import type { BuiltinKind, FieldType, TypedSchema, TypedStruct } from './typed.schema.js';

const DURATION_UNITS: Readonly<Record<string, number>> = {
  h: 3600e9,
  m: 60e9,
  s: 1e9,
  ms: 1e6,
  us: 1e3,
  µs: 1e3,
  ns: 1,
};

const STATUS_KIND: BuiltinKind = { group: '', version: 'v1', kind: 'Status' };

/** The encoder of objects of built-in kinds and lists of them for clients that accept nothing but protobuf. */
export class ProtobufEncoder {
  constructor(private readonly schema: TypedSchema) {}

  /** @returns `undefined` for an object of a kind that is not built in */
  object(kind: BuiltinKind, object: Readonly<Record<string, unknown>>): Uint8Array | undefined {
    const struct = this.schema.ofKind(kind);
    return struct && envelope(kind, kind.kind, this.message(object, struct));
  }

  /** @returns `undefined` for a list of objects of a kind that is not built in */
  list(kind: BuiltinKind, listKind: string, metadata: object, items: readonly object[]): Uint8Array | undefined {
    const struct = this.schema.ofKind(kind);
    if (!struct) return undefined;
    const { resourceVersion = '', continue: next = '', remainingItemCount } = mapping(metadata);
    const head = new ProtobufWriter().bytes(2, String(resourceVersion)).bytes(3, String(next));
    if (remainingItemCount !== undefined) head.integer(4, Number(remainingItemCount));
    const writer = new ProtobufWriter().bytes(1, head);
    for (const item of items) writer.bytes(2, this.message(mapping(item), struct));
    return envelope(kind, listKind, writer);
  }

  /** Whether there are types for a kind in protobuf. */
  knows(kind: BuiltinKind): boolean {
    return this.schema.ofKind(kind) !== undefined;
  }

  /** Encodes an event of a watch: its length in four bytes, its type, and the object, as {@link object} or {@link status} encodes it. */
  event(type: string, object: Uint8Array): Uint8Array {
    const event = new ProtobufWriter().bytes(1, type).bytes(2, new ProtobufWriter().bytes(1, object)).finish();
    const length = Buffer.alloc(4);
    length.writeUInt32BE(event.length);
    return Buffer.concat([length, event]);
  }

  /** Encodes a `Status`, which is of no group of the built-in kinds. */
  status(value: object): Uint8Array {
    const { metadata, status = '', message = '', reason = '', details, code = 0 } = mapping(value);
    const head = new ProtobufWriter().bytes(3, String(mapping(metadata)['continue'] ?? ''));
    const writer = new ProtobufWriter().bytes(1, head).bytes(2, String(status)).bytes(3, String(message));
    writer.bytes(4, String(reason));
    if (isMapping(details)) writer.bytes(5, statusDetails(details));
    return envelope(STATUS_KIND, 'Status', writer.integer(6, Number(code)));
  }

  private message(value: Readonly<Record<string, unknown>>, struct: TypedStruct): ProtobufWriter {
    const writer = new ProtobufWriter();
    for (const field of struct.fields) {
      const inlined = this.schema.inlined(field);
      if (inlined) {
        writer.bytes(field.number, this.message(value, inlined));
        continue;
      }
      const type = schemaUnion(struct, field);
      const member = value[field.name];
      if (member !== undefined && member !== null) this.write(writer, field.number, member, type);
    }
    return writer;
  }

  private write(writer: ProtobufWriter, number: number, value: unknown, type: FieldType): void {
    if (type.kind === 'map') {
      for (const [key, item] of Object.entries(isMapping(value) ? value : {})) {
        const pair = new ProtobufWriter().bytes(1, key);
        if (type.of.kind === 'list') pair.bytes(2, this.wrapped(item, type.of.of));
        else this.write(pair, 2, item, type.of);
        writer.bytes(number, pair);
      }
    } else if (type.kind === 'list') {
      if (type.wrapped) writer.bytes(number, this.wrapped(value, type.of));
      else for (const item of Array.isArray(value) ? value : []) this.write(writer, number, item, type.of);
    } else this.writeValue(writer, number, value, type.of);
  }

  private wrapped(value: unknown, type: FieldType): ProtobufWriter {
    const writer = new ProtobufWriter();
    for (const item of Array.isArray(value) ? value : []) this.write(writer, 1, item, type);
    return writer;
  }

  private writeValue(writer: ProtobufWriter, number: number, value: unknown, type: string): void {
    const inner = new ProtobufWriter();
    switch (type) {
      case 's':
        writer.bytes(number, String(value));
        return;
      case 'b':
        writer.integer(number, value === true);
        return;
      case 'i':
      case 'l':
        writer.integer(number, typeof value === 'bigint' ? value : Number(value));
        return;
      case 'd':
        writer.double(number, Number(value));
        return;
      case 'B':
        writer.bytes(number, Buffer.from(String(value), 'base64'));
        return;
      case 'Q':
        writer.bytes(number, inner.bytes(1, String(value)));
        return;
      case 'T':
      case 'M':
        writer.bytes(number, time(String(value)));
        return;
      case 'D':
        writer.bytes(number, inner.integer(1, nanoseconds(String(value))));
        return;
      case 'I':
        if (typeof value === 'string') inner.integer(1, 1).integer(2, 0).bytes(3, value);
        else inner.integer(1, 0).integer(2, Number(value)).bytes(3, '');
        writer.bytes(number, inner);
        return;
      case 'R':
      case 'J':
      case 'F':
        writer.bytes(number, inner.bytes(1, stringifyJson(value)));
        return;
      case 'schemaOrSchemas':
        this.writeUnion(inner, value, 1);
        writer.bytes(number, inner);
        return;
      case 'schemaOrBool':
        inner.integer(1, value !== false);
        if (isMapping(value)) this.writeUnion(inner, value, 2);
        writer.bytes(number, inner);
        return;
      case 'schemaOrTexts':
        if (Array.isArray(value)) for (const text of value) inner.bytes(2, String(text));
        else this.writeUnion(inner, value, 1);
        writer.bytes(number, inner);
        return;
      default:
        writer.bytes(number, this.message(mapping(value), this.schema.find(type)!));
    }
  }

  /** Writes a schema under its number, or several under the other one of two. */
  private writeUnion(writer: ProtobufWriter, value: unknown, number: 1 | 2): void {
    const struct = this.schema.find('apiextensions.v1.JSONSchemaProps')!;
    const several: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
    for (const each of several ?? [value])
      writer.bytes(several ? 3 - number : number, this.message(mapping(each), struct));
  }
}

function statusDetails(details: Readonly<Record<string, unknown>>): ProtobufWriter {
  const writer = new ProtobufWriter();
  for (const [index, name] of ['name', 'group', 'kind'].entries()) writer.bytes(index + 1, String(details[name] ?? ''));
  for (const cause of Array.isArray(details['causes']) ? details['causes'] : []) {
    const { reason = '', message = '', field = '' } = mapping(cause);
    writer.bytes(4, new ProtobufWriter().bytes(1, String(reason)).bytes(2, String(message)).bytes(3, String(field)));
  }
  return writer.integer(5, Number(details['retryAfterSeconds'] ?? 0)).bytes(6, String(details['uid'] ?? ''));
}

function envelope({ group, version }: BuiltinKind, kind: string, content: ProtobufWriter): Uint8Array {
  const type = new ProtobufWriter().bytes(1, group ? `${group}/${version}` : version).bytes(2, kind);
  const body = new ProtobufWriter().bytes(1, type).bytes(2, content).bytes(3, '').bytes(4, '');
  return Buffer.concat([Uint8Array.from(MAGIC), body.finish()]);
}

function time(text: string): ProtobufWriter {
  const milliseconds = Date.parse(text);
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return new ProtobufWriter()
    .integer(1, Math.floor(milliseconds / 1000))
    .integer(2, Number(fraction.padEnd(9, '0').slice(0, 9)));
}

function nanoseconds(text: string): number {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g))
    total += Number(amount) * DURATION_UNITS[unit!]!;
  return Math.round(text.startsWith('-') ? -total : total);
}
