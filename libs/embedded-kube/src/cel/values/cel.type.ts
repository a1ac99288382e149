/** The kinds of types that the language distinguishes. */
export type CelKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'parameter'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'uint';

/** A type of the language. Two types are the same if their texts are. */
export interface CelType {
  readonly kind: CelKind;
  readonly name: string;
  /** The arguments of a generic type: the element of a list, key and value of a map. */
  readonly parameters: readonly CelType[];
  /** The fields of a struct, by the names that expressions use. */
  readonly fields?: ReadonlyMap<string, CelType>;
  /** The type as the messages of errors show it: `list(string)`. */
  readonly text: string;
}

function simple(kind: CelKind, name: string = kind, text: string = name): CelType {
  return { kind, name, parameters: [], text };
}

export const BOOL = simple('bool');
export const BYTES = simple('bytes');
export const DOUBLE = simple('double');
export const DURATION = simple('duration', 'google.protobuf.Duration', 'duration');
export const DYN = simple('dyn');
/** A type like `dyn`, which is shown by the name that protocol buffers have for it. */
export const ANY = simple('dyn', 'dyn', 'google.protobuf.Any');
/** The type in place of one that could not be found out, so that one error is reported once. */
export const ERROR = simple('error', '!error!');
export const INT = simple('int');
export const NULL = simple('null', 'null_type', 'null');
export const STRING = simple('string');
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp', 'timestamp');
export const UINT = simple('uint');

export function generic(kind: CelKind, name: string, parameters: readonly CelType[]): CelType {
  const text = parameters.length > 0 ? `${name}(${parameters.map((each) => each.text).join(', ')})` : name;
  return { kind, name, parameters, text };
}

export function listOf(element: CelType): CelType {
  return generic('list', 'list', [element]);
}

export function mapOf(key: CelType, value: CelType): CelType {
  return generic('map', 'map', [key, value]);
}

export function optionalOf(value: CelType): CelType {
  return generic('opaque', 'optional_type', [value]);
}

/** Returns the type of a type: of `int` as a value. */
export function typeOf(type: CelType): CelType {
  return generic('type', 'type', [type]);
}

export function typeParameter(name: string): CelType {
  return simple('parameter', name);
}

export function opaque(name: string): CelType {
  return simple('opaque', name);
}

/** @param fields the types of the fields, by the names that expressions use */
export function struct(name: string, fields: ReadonlyMap<string, CelType> = new Map()): CelType {
  return { kind: 'struct', name, parameters: [], fields, text: name };
}

/** Returns the type inside of an optional type, or the type itself. */
export function unwrapOptional(type: CelType): { readonly type: CelType; readonly wasOptional: boolean } {
  const wasOptional = type.kind === 'opaque' && type.name === 'optional_type';
  return { type: wasOptional ? type.parameters[0]! : type, wasOptional };
}

const NAMED: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  bytes: BYTES,
  double: DOUBLE,
  duration: DURATION,
  dyn: DYN,
  int: INT,
  null: NULL,
  string: STRING,
  timestamp: TIMESTAMP,
  uint: UINT,
};

/**
 * Reads a type as signatures write it: `list(A)`, `map(string, int)`, `optional(T)`, `type(T)`, a single capital letter
 * for a type parameter, `&kubernetes.URL` for a struct without fields, everything else opaque.
 */
export function readType(text: string): CelType {
  const open = text.indexOf('(');
  if (open < 0) return NAMED[text] ?? namedType(text);
  const parameters = splitTypes(text.slice(open + 1, -1)).map(readType);
  const name = text.slice(0, open);
  if (name === 'list') return listOf(parameters[0]!);
  if (name === 'map') return mapOf(parameters[0]!, parameters[1]!);
  return name === 'optional' ? optionalOf(parameters[0]!) : typeOf(parameters[0]!);
}

/** Splits at the commas that stand outside of parentheses. */
export function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '(') depth += 1;
    else if (text[index] === ')') depth -= 1;
    else if (text[index] === ',' && depth === 0) {
      parts.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  const last = text.slice(start).trim();
  return last ? [...parts, last] : parts;
}

function namedType(text: string): CelType {
  if (/^[A-Z]$/.test(text)) return typeParameter(text);
  return text.startsWith('&') ? struct(text.slice(1)) : opaque(text);
}
