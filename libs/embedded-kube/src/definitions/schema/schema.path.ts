import type { StructuralSchema } from './structural.schema.js';

/** A path of fields that leads somewhere in a schema. */
export interface SchemaPath {
  /** The path as errors show it: `spec.labels[a.b]`. */
  readonly path: string;
  readonly schema: StructuralSchema;
}

const TOKEN = /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/g;

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/**
 * Follows a path such as `.spec.labels['a.b']` in a schema; returns the reason if it leads nowhere.
 *
 * @param allowsBrackets whether members may be named in brackets
 */
export function parseFieldPath(text: string, root: StructuralSchema, allowsBrackets = true): SchemaPath | string {
  const tokens = text.match(TOKEN) ?? [];
  let current: SchemaPath = { path: '', schema: root };
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token !== '.' && token !== '[') return `expected [ or . but got: ${token}`;
    if (token === '[' && !allowsBrackets) return 'array notation is not allowed';
    index += 1;
    const raw = tokens[index];
    if (raw === undefined) return 'unexpected end of JSON path';
    const name = token === '.' ? raw : quotedName(raw);
    if (typeof name !== 'string') return name.reason;
    const next = step(current, name);
    if (typeof next === 'string') return next;
    current = next;
    if (token === '.') continue;
    index += 1;
    if (tokens[index] === undefined) return 'unexpected end of JSON path';
    if (tokens[index] !== ']') return `expected ] but got ${tokens[index]}`;
  }
  return current;
}

function quotedName(token: string): string | { readonly reason: string } {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    return { reason: `expected single quoted string but got ${token}` };
  }
  let invalid: string | undefined;
  const name = token.slice(1, -1).replace(/\\./g, (escape) => {
    const character = ESCAPES[escape[1]!];
    if (character === undefined) invalid = escape;
    return character ?? '';
  });
  return invalid === undefined ? name : { reason: `invalid string literal: invalid escape char ${invalid}` };
}

function step({ path, schema }: SchemaPath, name: string): SchemaPath | string {
  const { properties, additionalProperties } = schema;
  if (properties) {
    if (!Object.hasOwn(properties, name)) return 'does not refer to a valid field';
    return { path: path ? `${path}.${name}` : name, schema: properties[name]! };
  }
  if (typeof additionalProperties !== 'object') return 'does not refer to a valid field';
  return { path: `${path}[${name}]`, schema: additionalProperties };
}
