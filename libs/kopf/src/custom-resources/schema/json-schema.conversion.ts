import { deepCopy, errorText, isMap, type JsonMap } from 'kube-common';
import { translatePattern } from './pattern.translation.js';
import type { SchemaErrors } from './schema.errors.js';
import type { SchemaNode } from './schema.node.js';
import type { StandardJsonSchema } from './standard.schema.js';

/** Keywords with the same meaning in JSON Schema and in structural schemas. */
const SHARED = [
  'description',
  'title',
  'format',
  'default',
  'enum',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;

/** The largest and the smallest exact integer of JavaScript: libraries add them as limits that the user has not set. */
const SAFE_LIMITS = new Set<unknown>([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);

/**
 * Converts the JSON Schema of another library to a structural schema.
 *
 * @param place the schema's name in errors: `Disk.spec`.
 */
export function convertJsonSchema(
  { '~standard': standard }: StandardJsonSchema,
  place: string,
  errors: SchemaErrors,
): SchemaNode {
  try {
    const root = standard.jsonSchema.input({ target: 'draft-2020-12' });
    return new Conversion(root, errors).convert(root, place);
  } catch (error) {
    errors.add(place, `${standard.vendor} cannot make a JSON Schema of it: ${errorText(error)}`);
    return { type: 'object' };
  }
}

class Conversion {
  private readonly open = new Set<unknown>();

  constructor(
    private readonly root: JsonMap,
    private readonly errors: SchemaErrors,
  ) {}

  convert(given: unknown, place: string): SchemaNode {
    if (!isMap(given) || Object.keys(given).length === 0) return { 'x-kubernetes-preserve-unknown-fields': true };
    const reference = given.$ref;
    if (typeof reference === 'string') return this.follow(reference, given, place);
    const options = (given.anyOf ?? given.oneOf) as unknown[] | undefined;
    if (Array.isArray(options)) return this.convertOptions(options, given, place);
    if (Array.isArray(given.allOf)) return this.convertAll(given.allOf, given, place);
    return this.convertPlain(given, place);
  }

  private follow(reference: string, given: JsonMap, place: string): SchemaNode {
    const parts = reference.split('/').slice(1);
    const target = parts.reduce<unknown>((value, part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      return isMap(value) ? value[name] : undefined;
    }, this.root);
    if (!reference.startsWith('#') || target === undefined) {
      this.errors.add(place, `it refers to ${reference}, which is not in the schema`);
      return {};
    }
    if (this.open.has(target)) {
      this.errors.add(place, 'the schema contains itself, which CRDs do not allow; take any object for it');
      return {};
    }
    this.open.add(target);
    const { $ref: _reference, ...rest } = given;
    const converted = this.convert({ ...(target as JsonMap), ...rest }, place);
    this.open.delete(target);
    return converted;
  }

  /** Converts alternatives that a structural schema can express: `null`, values of one type, and numbers or texts. */
  private convertOptions(options: readonly unknown[], given: JsonMap, place: string): SchemaNode {
    const others = options.filter((option) => !isMap(option) || option.type !== 'null');
    const { anyOf: _any, oneOf: _one, ...rest } = given;
    const nullable = others.length < options.length ? { nullable: true } : {};
    if (others.length === 1) return { ...this.convert({ ...(others[0] as JsonMap), ...rest }, place), ...nullable };
    const nodes = others.map((option) => this.convert(option, place));
    const types = new Set(nodes.map(({ type }) => type));
    const shared = this.convertShared(rest, place);
    if (nodes.every((node) => node.enum) && types.size === 1) {
      const values = nodes.flatMap((node) => node.enum!);
      return { ...shared, type: nodes[0].type, ...nullable, enum: [...new Set(values)] };
    }
    if (types.size === 2 && types.has('string') && types.has('integer')) {
      return { ...shared, ...nullable, 'x-kubernetes-int-or-string': true };
    }
    const [type] = types;
    if (types.size === 1 && type !== 'object' && type !== 'array') {
      const anyOf = nodes.map(({ type: _type, description: _text, default: _value, ...node }) => node);
      return { ...shared, type, ...nullable, anyOf };
    }
    const advice =
      'take one object whose fields are optional, and say which go together with @ExactlyOneOf() or @CelRule()';
    this.errors.add(place, `a CRD cannot have alternatives of different types or objects; ${advice}`);
    return {};
  }

  private convertAll(parts: readonly unknown[], given: JsonMap, place: string): SchemaNode {
    const { allOf: _all, ...rest } = given;
    const nodes = [...parts, rest].map((part) => this.convert(part, place));
    const merged: SchemaNode = {};
    for (const { properties, required, 'x-kubernetes-preserve-unknown-fields': _open, ...node } of nodes) {
      Object.assign(merged, node);
      if (properties) merged.properties = { ...merged.properties, ...properties };
      if (required) merged.required = [...new Set([...(merged.required ?? []), ...required])];
    }
    return merged;
  }

  private convertPlain(given: JsonMap, place: string): SchemaNode {
    const types = Array.isArray(given.type) ? (given.type as string[]) : [given.type as string | undefined];
    const [type, ...more] = types.filter((name) => name !== 'null');
    if (more.length > 0) {
      return this.convertOptions(
        types.map((name) => ({ ...given, type: name })),
        {},
        place,
      );
    }
    const node: SchemaNode = {
      ...(type !== undefined && { type: type as SchemaNode['type'] }),
      ...this.convertShared(given, place),
      ...(types.includes('null') && { nullable: true }),
    };
    if (given.const !== undefined) node.enum = [given.const];
    if (node.type === undefined && node.enum) node.type = typeof node.enum[0] as SchemaNode['type'];
    if (given.not !== undefined) node.not = this.convert(given.not, place);
    this.convertObject(node, given, place);
    this.convertArray(node, given, place);
    return node;
  }

  private convertShared(given: JsonMap, place: string): SchemaNode {
    const node: Record<string, unknown> = {};
    for (const keyword of SHARED) {
      if (given[keyword] !== undefined && !SAFE_LIMITS.has(given[keyword])) node[keyword] = deepCopy(given[keyword]);
    }
    for (const [keyword, limit] of [
      ['exclusiveMinimum', 'minimum'],
      ['exclusiveMaximum', 'maximum'],
    ]) {
      const value = given[keyword];
      if (typeof value === 'number') Object.assign(node, { [limit]: value, [keyword]: true });
    }
    if (typeof given.pattern === 'string') {
      try {
        node.pattern = translatePattern(new RegExp(given.pattern, 'u'));
      } catch (error) {
        // Formats of these libraries come with patterns that have the same meaning.
        if (given.format === undefined) this.errors.add(place, `the pattern has ${errorText(error)}; write it without`);
      }
    }
    return node as SchemaNode;
  }

  private convertObject(node: SchemaNode, given: JsonMap, place: string): void {
    const { properties, required, additionalProperties } = given;
    if (isMap(properties)) {
      node.properties = Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, this.convert(property, `${place}.${name}`)]),
      );
    }
    if (Array.isArray(required)) {
      const listed = (required as string[]).filter((name) => node.properties?.[name]?.default === undefined);
      if (listed.length > 0) node.required = listed;
    }
    if (node.type !== 'object') return;
    const isOpen =
      additionalProperties === true || (isMap(additionalProperties) && !Object.keys(additionalProperties).length);
    const isEmpty = Object.keys(node.properties ?? {}).length === 0;
    if (isEmpty) delete node.properties;
    // The API server would remove all fields of an object without declared fields, which no library means.
    if (isOpen || (isEmpty && additionalProperties === undefined)) {
      node['x-kubernetes-preserve-unknown-fields'] = true;
    } else if (isMap(additionalProperties)) {
      if (node.properties) {
        this.errors.add(
          place,
          'a CRD cannot have both named fields and a schema for all others; leave one of them out',
        );
      } else node.additionalProperties = this.convert(additionalProperties, `${place}.*`);
    }
  }

  private convertArray(node: SchemaNode, given: JsonMap, place: string): void {
    if (node.type !== 'array') return;
    if (Array.isArray(given.prefixItems) || Array.isArray(given.items)) {
      this.errors.add(place, 'a CRD cannot have tuples; take a list, or an object with a field for each item');
      return;
    }
    node.items = this.convert(given.items, `${place}[]`);
    const isScalar = node.items.type !== 'object' && node.items.type !== 'array';
    if (given.uniqueItems === true && isScalar) node['x-kubernetes-list-type'] = 'set';
  }
}
