import { describeTimeError } from '../common/go-time.js';
import { isMapping, isNumeric } from '../common/json.values.js';
import { WrittenNumber } from '../common/written.number.js';
import { QUANTITY_RULE } from '../resources/quantity.js';
import { canonicalBase64 } from './base64.js';
import { SCHEMA, schemaUnion } from './protobuf.format.js';
import type { FieldType, TypedSchema, TypedStruct } from './typed.schema.js';

const INTEGERS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  i: [-(2n ** 31n), 2n ** 31n - 1n],
  l: [-(2n ** 63n), 2n ** 63n - 1n],
  u: [0n, 255n],
};
const GO_NAMES: Readonly<Record<string, string>> = {
  s: 'string',
  b: 'bool',
  i: 'int32',
  l: 'int64',
  u: 'uint8',
  d: 'float64',
  B: '[]uint8',
  Q: 'resource.Quantity',
  I: 'intstr.IntOrString',
};
const BYTE: FieldType & { kind: 'value' } = { kind: 'value', of: 'u' };
const QUANTITY = /^[+-]?[0-9.]+[eEinumkKMGTP]*[-+]?[0-9]*$/;
const SUFFIX = /^([+-]?[0-9.]+)(|[numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]+)$/;

/** A field on the way: the structure that holds it, and the names that lead to it, as Go prints them. */
interface GoField {
  readonly struct: string;
  readonly path: string;
}

/** Thrown at a value that reads itself: Go stops at once. */
class Abort extends Error {}

/**
 * Finds the error that Go reports for a body that does not fit a built-in type: the first one in the order of the body. Slow, as it is
 * called only for bodies that are known not to fit.
 *
 * @returns `undefined` if the body fits
 */
export function describeMismatch(schema: TypedSchema, body: unknown, struct: TypedStruct): string | undefined {
  const search = new MismatchSearch(schema);
  try {
    search.readStruct(body, struct, { struct: '', path: '' });
  } catch (error) {
    if (error instanceof Abort) return error.message;
    throw error;
  }
  return search.first;
}

class MismatchSearch {
  first: string | undefined;

  constructor(private readonly schema: TypedSchema) {}

  readStruct(value: unknown, struct: TypedStruct, at: GoField): void {
    if (!isMapping(value)) return this.report(value, at, `v1.${struct.name}`);
    for (const [name, member] of Object.entries(value)) {
      if (member === null || member === undefined) continue;
      const field = this.findField(struct, name);
      if (!field) continue;
      const path = [...(at.path ? [at.path] : []), ...field.embedded, name].join('.');
      this.readValue(member, schemaUnion(struct, { name, type: field.type }), { struct: struct.name, path });
    }
  }

  private readValue(value: unknown, type: FieldType, at: GoField): void {
    if (value instanceof WrittenNumber) {
      const isInteger = type.kind === 'value' && (type.of === 'i' || type.of === 'l');
      if (type.kind === 'value' && type.of === 'I') throw new Abort(mismatch(value, at, 'int32'));
      if (isInteger) this.report(value, at, goNameOf(type));
      else this.readValue(Number(value.text), type, at);
      return;
    }
    if (type.kind === 'list') {
      if (!Array.isArray(value)) return this.report(value, at, goNameOf(type));
      for (const item of value) if (item !== null) this.readValue(item, type.of, at);
      return;
    }
    if (type.kind === 'map') {
      if (!isMapping(value)) return this.report(value, at, goNameOf(type));
      for (const item of Object.values(value)) if (item !== null) this.readValue(item, type.of, at);
      return;
    }
    const struct = type.of.length > 1 ? this.schema.find(type.of) : undefined;
    if (!struct) return this.readScalar(value, type, at);
    if (isMapping(value)) this.readStruct(value, struct, at);
    else this.report(value, at, goNameOf(type));
  }

  private readScalar(value: unknown, type: FieldType & { kind: 'value' }, at: GoField): void {
    switch (type.of) {
      case 's':
        return typeof value === 'string' ? undefined : this.report(value, at, goNameOf(type));
      case 'b':
        return typeof value === 'boolean' ? undefined : this.report(value, at, goNameOf(type));
      case 'i':
      case 'l':
        return this.readInteger(value, type, at);
      case 'd':
        return isNumeric(value) ? undefined : this.report(value, at, goNameOf(type));
      case 'B':
        if (Array.isArray(value)) {
          for (const item of value) if (item !== null) this.readInteger(item, BYTE, at);
          return;
        }
        if (typeof value !== 'string') return this.report(value, at, goNameOf(type));
        try {
          canonicalBase64(value);
        } catch (error) {
          this.first ??= (error as Error).message;
        }
        return;
      case 'T':
      case 'M':
        if (typeof value !== 'string') throw new Abort(mismatch(value, at, 'string'));
        return abortIf(describeTimeError(value, type.of === 'M'));
      case 'Q':
        return abortIf(describeQuantityError(value));
      case 'schemaOrSchemas':
      case 'schemaOrBool':
      case 'schemaOrTexts':
        for (const item of Array.isArray(value) ? value : [value])
          if (isMapping(item)) this.readValue(item, SCHEMA, at);
        return;
      case 'I':
        if (typeof value === 'string') return;
        if (!isInteger(value, 'i')) throw new Abort(mismatch(value, at, 'int32'));
        return;
      case 'D':
        if (typeof value !== 'string') throw new Abort(mismatch(value, at, 'string'));
        return abortIf(
          /^[+-]?(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(value)
            ? undefined
            : `time: invalid duration ${JSON.stringify(value)}`,
        );
    }
  }

  private readInteger(value: unknown, type: FieldType & { kind: 'value' }, at: GoField): void {
    if (!isInteger(value, type.of)) this.report(value, at, goNameOf(type));
  }

  private report(value: unknown, at: GoField, goName: string): void {
    this.first ??= mismatch(value, at, goName);
  }

  private findField(struct: TypedStruct, name: string): { type: FieldType; embedded: readonly string[] } | undefined {
    for (const field of struct.fields) {
      const inlined = this.schema.inlined(field);
      if (!inlined) {
        if (field.name === name) return { type: field.type, embedded: [] };
        continue;
      }
      const found = this.findField(inlined, name);
      if (found) return { ...found, embedded: [inlined.name, ...found.embedded] };
    }
    return undefined;
  }
}

function abortIf(problem: string | undefined): void {
  if (problem !== undefined) throw new Abort(problem);
}

function isInteger(value: unknown, type: string): boolean {
  if (!isNumeric(value) || (typeof value === 'number' && !Number.isInteger(value))) return false;
  const [lowest, highest] = INTEGERS[type]!;
  return BigInt(value) >= lowest && BigInt(value) <= highest;
}

/** Describes what Go finds wrong with a quantity; `undefined` if it can be read. */
export function describeQuantityError(value: unknown): string | undefined {
  const text =
    typeof value === 'string'
      ? value
      : JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each));
  if (text === '' || !QUANTITY.test(text)) return QUANTITY_RULE;
  const [number = ''] = /^[+-]?[0-9.]+/.exec(text) ?? [];
  if (!SUFFIX.test(text)) return "unable to parse quantity's suffix";
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(number) ? undefined : QUANTITY_RULE;
}

function mismatch(value: unknown, { struct, path }: GoField, goName: string): string {
  const field = struct ? `Go struct field ${struct}.${path}` : 'Go value';
  return `json: cannot unmarshal ${describeJson(value, goName)} into ${field} of type ${goName}`;
}

function describeJson(value: unknown, goName: string): string {
  if (value instanceof WrittenNumber) return `number ${value.text}`;
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  // Go shows the number if the type is one of integers, where numbers can be wrong in more ways than one.
  if (isNumeric(value)) return /^u?int/.test(goName) ? `number ${value}` : 'number';
  return typeof value;
}

/** Returns the name that Go prints for a type: `[]v1.Container`, `map[string]string`, `types.UID`. */
function goNameOf(type: FieldType): string {
  if (type.goName) return type.goName;
  if (type.kind === 'list') return `[]${goNameOf(type.of)}`;
  if (type.kind === 'map') return `map[string]${goNameOf(type.of)}`;
  return GO_NAMES[type.of] ?? type.of.split('.').slice(-2).join('.');
}
