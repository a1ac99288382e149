/** The parts of a schema that samples are made by. */
export interface SampledSchema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SampledSchema>>;
  readonly additionalProperties?: SampledSchema | boolean;
  readonly items?: SampledSchema;
  readonly oneOf?: readonly SampledSchema[];
  readonly anyOf?: readonly SampledSchema[];
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

const TEXTS: Readonly<Record<string, string>> = {
  'date-time': '2024-01-02T03:04:05Z',
  date: '2024-01-02',
  duration: '1h0m0s',
  byte: 'YQ==',
  uri: 'https://a.example.com/b',
  ipv4: '10.0.0.1',
};
/** Texts of many kinds, one of which a pattern usually allows. */
const CANDIDATES = [
  'a',
  'A',
  '1',
  '1h',
  '100m',
  '1.0',
  'a.example.com',
  'https://a.example.com',
  'a/b',
  '/a',
  '10.0.0.0/8',
  'a=b',
  'true',
];
/** The depth down to which a full sample has optional fields. */
const DEEPEST = 5;

/**
 * Makes a value for a schema, which is the same for the same schema; rules that no structure shows can still reject it.
 *
 * @param isFull with all optional fields, not with the required ones only
 */
export function sampleOf(schema: SampledSchema, isFull: boolean, depth = 0): unknown {
  const first = schema.enum?.find((value) => value !== '' && value !== null);
  if (first !== undefined) return first;
  if (schema['x-kubernetes-int-or-string']) return 1;
  switch (schema.type) {
    case 'object':
      return objectOf(schema, isFull, depth);
    case 'array':
      return [sampleOf(schema.items ?? {}, isFull, depth + 1)];
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return true;
    default:
      return {};
  }
}

function objectOf(schema: SampledSchema, isFull: boolean, depth: number): object {
  const { properties = {}, additionalProperties, required = [], oneOf, anyOf } = schema;
  const needed = new Set([...required, ...((oneOf ?? anyOf)?.[0]?.required ?? [])]);
  const wanted = Object.entries(properties).filter(
    ([name, property]) => needed.has(name) || (isFull && depth < DEEPEST && property.default === undefined),
  );
  const members = wanted.map(([name, property]) => [name, sampleOf(property, isFull, depth + 1)] as const);
  if (typeof additionalProperties === 'object' && isFull) {
    members.push(['a', sampleOf(additionalProperties, isFull, depth + 1)]);
  }
  return Object.fromEntries(members);
}

function textOf({ format, pattern, minLength = 0 }: SampledSchema): string {
  const text = (format && TEXTS[format]) ?? CANDIDATES.find((each) => matches(pattern, each)) ?? 'a';
  return text.padEnd(minLength, 'a');
}

function matches(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined) return true;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}
