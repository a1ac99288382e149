import { deepCopy, deepEqual, isMap, type JsonMap, type Random, setKey } from 'kube-common';
import type { SchemaNode } from '../../custom-resources/schema/schema.node.js';
import { createMatchingText, pick } from './text.patterns.js';

/** The makers of values of fields that cannot be made by their schema, by their paths: `spec.size`, `spec.disks[].name`. */
export type FieldValues = Readonly<Record<string, (random: Random) => unknown>>;

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2020-02-29T12:00:00Z', '1999-12-31T23:59:59Z'],
  date: ['2020-02-29', '1999-12-31'],
  uuid: ['123e4567-e89b-12d3-a456-426614174000'],
  email: ['a@example.com'],
  uri: ['https://example.com/a'],
  hostname: ['a.example.com'],
  ipv4: ['10.0.0.1'],
  ipv6: ['fd00::1'],
  byte: ['', 'YQ=='],
};
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789'];

/** The generator of values that a structural schema accepts. Rules in CEL, `anyOf`, `oneOf`, and `not` are not looked at. */
export class SchemaValues {
  constructor(
    private readonly random: Random,
    private readonly given: FieldValues,
  ) {}

  /**
   * Makes a value.
   *
   * @param path leads to the field in the object.
   * @throws TypeError if none can be made by the schema, as with patterns that look ahead.
   */
  create(schema: SchemaNode, path: string): unknown {
    const given = this.given[path];
    if (given) return given(this.random);
    const node = merged(schema);
    if (node.nullable && this.isLikely(0.1)) return null;
    if (node.default !== undefined && this.isLikely(0.2)) return deepCopy(node.default);
    if (node.enum) return deepCopy(pick(node.enum, this.random));
    if (node['x-kubernetes-int-or-string'])
      return this.isLikely(0.5) ? this.between(0, 100) : `${this.between(0, 100)}%`;
    if (node.type === 'object') return this.createMap(node, path);
    if (node.type === 'array') return this.createList(node, path);
    if (node.type === 'string') return this.createText(node, path);
    if (node.type === 'boolean') return this.isLikely(0.5);
    return this.createNumber(node);
  }

  private createMap({ properties = {}, required = [], additionalProperties, ...limits }: SchemaNode, path: string) {
    const result: JsonMap = {};
    for (const [name, schema] of Object.entries(properties)) {
      if (!required.includes(name) && this.isLikely(0.3)) continue;
      setKey(result, name, this.create(schema, path ? `${path}.${name}` : name));
    }
    if (!additionalProperties) return result;
    const { minProperties = 0, maxProperties = minProperties + 3 } = limits;
    const count = this.between(minProperties, Math.min(maxProperties, minProperties + 3));
    for (let index = 0; index < count; index += 1) {
      setKey(result, `key${index}`, this.create(additionalProperties, `${path}{}`));
    }
    return result;
  }

  private createList(node: SchemaNode, path: string): unknown[] {
    const { items = {}, minItems = 0, maxItems = minItems + 3 } = node;
    const keys = node['x-kubernetes-list-map-keys'] ?? [];
    const isSet = node['x-kubernetes-list-type'] === 'set';
    const count = this.between(minItems, Math.min(maxItems, minItems + 3));
    const found: unknown[] = [];
    for (let attempt = 0; found.length < count && attempt < 20 * count; attempt += 1) {
      const item = this.create(items, `${path}[]`);
      const isSame = (other: unknown): boolean =>
        isSet
          ? deepEqual(other, item)
          : keys.length > 0 && keys.every((key) => valueOf(other, key) === valueOf(item, key));
      if (!found.some(isSame)) found.push(item);
    }
    return found;
  }

  private createText({ pattern, format, minLength = 0, maxLength = minLength + 8 }: SchemaNode, path: string): string {
    if (pattern !== undefined) {
      for (let attempt = 0; attempt < 20; attempt += 1) {
        const text = createMatchingText(pattern, this.random);
        const length = text === undefined ? -1 : [...text].length;
        if (
          text !== undefined &&
          length >= minLength &&
          length <= maxLength + (maxLength === minLength + 8 ? 1e6 : 0)
        ) {
          return text;
        }
      }
      throw new TypeError(`No text is known for the pattern ${pattern} of ${path}: give some by the option values`);
    }
    if (format !== undefined && format in FORMATS) return pick(FORMATS[format], this.random);
    const length = this.between(minLength, Math.min(maxLength, minLength + 8));
    return Array.from({ length }, () => pick(LETTERS, this.random)).join('');
  }

  private createNumber(node: SchemaNode): number {
    const { type, minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = node;
    const step = multipleOf ?? (type === 'integer' ? 1 : 0.25);
    const least = minimum ?? (maximum === undefined ? -100 : maximum - 100);
    const most = maximum ?? least + 200;
    const first = Math.ceil(least / step) + Number(Boolean(exclusiveMinimum) && Number.isInteger(least / step));
    const last = Math.floor(most / step) - Number(Boolean(exclusiveMaximum) && Number.isInteger(most / step));
    return this.between(first, Math.max(first, last)) * step;
  }

  private isLikely(probability: number): boolean {
    return this.random.next() < probability;
  }

  private between(from: number, to: number): number {
    return from + Math.floor(this.random.next() * (to - from + 1));
  }
}

/**
 * Makes of a value what the API server makes of it: fields that the schema does not know are removed, and missing ones get their defaults.
 */
export function conform(value: unknown, schema: SchemaNode): unknown {
  const node = merged(schema);
  if (Array.isArray(value)) return node.items ? value.map((item) => conform(item, node.items!)) : value;
  if (!isMap(value)) return value;
  const { properties = {}, additionalProperties } = node;
  const result: JsonMap = {};
  for (const [name, member] of Object.entries(value)) {
    const known = properties[name] ?? additionalProperties;
    if (known) setKey(result, name, conform(member, known));
    else if (node['x-kubernetes-preserve-unknown-fields']) setKey(result, name, member);
  }
  for (const [name, known] of Object.entries(properties)) {
    if (result[name] === undefined && known.default !== undefined) setKey(result, name, deepCopy(known.default));
  }
  return result;
}

/** Takes what the parts of `allOf` say together; of what several say, the last one counts. */
function merged(schema: SchemaNode): SchemaNode {
  const { allOf = [], ...rest } = schema;
  return allOf.length > 0 ? Object.assign({}, rest, ...allOf.map((part) => merged(part)), rest) : rest;
}

function valueOf(item: unknown, key: string): unknown {
  return isMap(item) ? item[key] : undefined;
}
