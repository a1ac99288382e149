import { BUILTIN_TYPES } from './builtin-types.data.js';

/** A field of a built-in type. */
export interface TypedField {
  /** The name in JSON. */
  readonly name: string;
  /** The number in protobuf. */
  readonly number: number;
  readonly type: FieldType;
  /** Whether absent values of the field differ from empty ones. */
  readonly optional: boolean;
  /** Whether an empty value is left out. */
  readonly omitEmpty: boolean;
  /** Whether its fields stand among those of the type that holds it. */
  readonly inline: boolean;
}

/**
 * The type of a value: `s` text, `b` boolean, `i` and `l` integers, `d` number, `B` bytes, `T` time, `M` time with microseconds, `D`
 * duration, `Q` quantity, `I` integer or text, `R` any object, `F` managed fields, `J` any JSON, or the name of a built-in type; for lists
 * and maps the type of their values. `goName` is the type in messages, where Go has another name for it.
 */
export type FieldType =
  | { readonly kind: 'value'; readonly of: string; readonly goName?: string }
  | { readonly kind: 'list'; readonly of: FieldType; readonly wrapped?: boolean; readonly goName?: string }
  | { readonly kind: 'map'; readonly of: FieldType; readonly wrapped?: boolean; readonly goName?: string };

/** A built-in type: its fields in the order in which the server writes them. */
export interface TypedStruct {
  /** The name in messages: `PodSpec`. */
  readonly name: string;
  readonly fields: readonly TypedField[];
  readonly byNumber: ReadonlyMap<number, TypedField>;
  /** The JSON names, those of inlined types included. */
  readonly names: ReadonlySet<string>;
}

/** The types that were read, for all servers of the process: their data never changes. */
const STRUCTS = new Map<string, TypedStruct>();

/**
 * The built-in types, read from their data as they are needed.
 *
 * The data holds the fields of a type, separated by spaces, as `name:number:type:flags`. A type is as {@link FieldType} says, after `[]`
 * for lists, `{}` for maps with texts as keys, and `@` for lists that are separate messages in protobuf. The name that Go has for a text or
 * number follows after `/`, that of a list or map after `=`. The flags are `*` for optional, `o` for left out if empty, `z` for left out if
 * it is an empty structure, and `~` for inlined.
 */
export class TypedSchema {
  /** @returns `undefined` if there is no such type */
  find(name: string): TypedStruct | undefined {
    const known = STRUCTS.get(name);
    if (known) return known;
    if (!Object.hasOwn(BUILTIN_TYPES, name)) return undefined;
    const fields = BUILTIN_TYPES[name]!.split(' ').filter(Boolean).map(parseField);
    const names = new Set<string>();
    for (const field of fields) {
      if (!field.inline || field.type.kind !== 'value') names.add(field.name);
      else for (const inner of this.find(field.type.of)?.names ?? []) names.add(inner);
    }
    const byNumber = new Map(fields.map((field) => [field.number, field]));
    const struct = { name: name.split('.').at(-1)!, fields, byNumber, names };
    STRUCTS.set(name, struct);
    return struct;
  }

  /** Returns the type of a kind's objects. */
  ofKind(kind: BuiltinKind): TypedStruct | undefined {
    return this.find(kindTypeName(kind));
  }

  /** Returns the type whose fields stand in the place of a field; `undefined` for all fields but the inlined ones. */
  inlined({ inline, type }: TypedField): TypedStruct | undefined {
    return inline && type.kind === 'value' ? this.find(type.of) : undefined;
  }
}

/** A kind that is built into the server. */
export interface BuiltinKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Returns the name of the type of a kind's objects: `apps.v1.Deployment`, `core.v1.Pod`. */
export function kindTypeName({ group, version, kind }: BuiltinKind): string {
  return `${group.split('.')[0] || 'core'}.${version}.${kind}`;
}

/** Whether the server has a built-in kind by this name, in this group and version. */
export function isBuiltinKind(apiVersion: string, kind: string): boolean {
  return Object.hasOwn(BUILTIN_TYPES, kindTypeName(kindOf(apiVersion, kind)));
}

/** Returns a kind by the version and the name in objects. */
export function kindOf(apiVersion: string, kind: string): BuiltinKind {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version, kind };
}

function parseField(text: string): TypedField {
  const [name = '', number, type = '', flags = ''] = text.split(':');
  return {
    name,
    number: Number(number),
    type: parseType(type),
    optional: flags.includes('*'),
    omitEmpty: flags.includes('z') || (flags.includes('o') && !isStruct(type)),
    inline: flags.includes('~'),
  };
}

function parseType(text: string): FieldType {
  if (text.startsWith('@')) return { ...parseType(text.slice(1)), wrapped: true } as FieldType;
  const kind = text.startsWith('[]') ? 'list' : text.startsWith('{}') ? 'map' : undefined;
  if (kind) {
    // The name belongs to the innermost list that is a separate message.
    const [of = '', goName] = text.includes('@') ? [text.slice(2)] : text.slice(2).split('=');
    return { kind, of: parseType(of), ...(goName && { goName }) };
  }
  const [of = '', goName] = text.split('/');
  return { kind: 'value', of, ...(goName && { goName }) };
}

/** Whether a value counts as a structure: structures are never empty to the server's encoder, times are structures to it. */
function isStruct(type: string): boolean {
  return type === 'T' || type === 'M' || (/^[^/]{2}/.test(type) && !/^[[{@]/.test(type));
}
