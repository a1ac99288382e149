import { CelEvaluationError } from './cel.error.js';
import { readDuration, readTimestamp, writeDuration, writeTimestamp } from './cel.time.js';
import type { CelType } from './cel.type.js';
import { CelDuration, CelMap, CelOptional, CelTimestamp, CelUint, type CelValue, withIdentity } from './cel.value.js';
import type { DeclaredType } from './declared.type.js';

/** Converts JSON to the form that expressions work with. The members of objects are converted when they are read. */
export function fromJson(value: unknown, declared?: DeclaredType): CelValue {
  if (value === null || value === undefined) return null;
  switch (typeof value) {
    case 'number':
      return declared?.type.kind !== 'double' && Number.isSafeInteger(value) ? BigInt(value) : value;
    case 'bigint':
      return declared?.type.kind === 'double' ? Number(value) : value;
    case 'string':
      return fromText(value, declared);
    case 'boolean':
      return value;
    default:
      return fromObject(value as object, declared);
  }
}

function fromObject(value: object, declared?: DeclaredType): CelValue {
  if (Array.isArray(value)) {
    const items = value.map((item) => fromJson(item, declared?.element));
    return withIdentity(items, declared?.identity);
  }
  const members = value as Readonly<Record<string, unknown>>;
  return declared?.fields ? new JsonStruct(members, declared) : new JsonMap(members, declared?.element);
}

function fromText(text: string, declared?: DeclaredType): CelValue {
  switch (declared?.type.kind) {
    case 'bytes':
      return new Uint8Array(Buffer.from(text, 'base64'));
    case 'duration':
      return readDuration(text) ?? unreadable(text, 'duration');
    case 'timestamp':
      return readTimestamp(declared.format === 'date' ? `${text}T00:00:00Z` : text) ?? unreadable(text, 'timestamp');
    default:
      return text;
  }
}

function unreadable(text: string, type: string): never {
  throw new CelEvaluationError(`Invalid ${type} ${text}`);
}

/** An object whose fields are not declared, or one with arbitrary keys. */
class JsonMap extends CelMap {
  private readonly converted = new Map<string, CelValue>();

  constructor(
    private readonly members: Readonly<Record<string, unknown>>,
    private readonly element?: DeclaredType,
  ) {
    super();
  }

  get size(): number {
    return Object.keys(this.members).length;
  }

  keys(): Iterable<CelValue> {
    return Object.keys(this.members);
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.members, key) || this.members[key] === undefined)
      return undefined;
    const known = this.converted.get(key);
    if (known !== undefined) return known;
    const value = fromJson(this.members[key], this.element);
    this.converted.set(key, value);
    return value;
  }
}

/** An object with declared fields. */
class JsonStruct extends CelMap {
  override readonly structType: CelType;
  private readonly converted = new Map<string, CelValue>();

  constructor(
    private readonly members: Readonly<Record<string, unknown>>,
    private readonly declared: DeclaredType,
  ) {
    super();
    this.structType = declared.type;
  }

  get size(): number {
    return [...this.keys()].length;
  }

  *keys(): Iterable<CelValue> {
    for (const [field, { name }] of this.declared.fields!) {
      if (Object.hasOwn(this.members, name) && this.members[name] !== undefined) yield field;
    }
  }

  get(key: CelValue): CelValue | undefined {
    const known = this.converted.get(key as string);
    if (known !== undefined) return known;
    const field = this.declared.fields!.get(key as string);
    if (!field || !Object.hasOwn(this.members, field.name) || this.members[field.name] === undefined) return undefined;
    const value = fromJson(this.members[field.name], field.declared);
    this.converted.set(key as string, value);
    return value;
  }
}

/** Converts a value to JSON, for an expression that makes an object. @throws CelEvaluationError for a value without a form there */
export function toJson(value: CelValue): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') return safeInteger(value);
  if (Array.isArray(value)) return (value as readonly CelValue[]).map(toJson);
  if (value instanceof CelMap) {
    return Object.fromEntries([...value.keys()].map((key) => [String(key), toJson(value.get(key)!)]));
  }
  if (value instanceof CelUint) return safeInteger(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof CelDuration) return writeDuration(value);
  if (value instanceof CelTimestamp) return writeTimestamp(value);
  if (value instanceof CelOptional && value.value !== undefined) return toJson(value.value);
  throw new CelEvaluationError('unsupported conversion to JSON');
}

function safeInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
