import { deepCopy, deepEqual, isMap, type JsonMap, type Random } from 'kube-common';
import type { SchemaNode } from 'nestjs-kopf/crd';
import { type FieldValues, SchemaValues, type TestManifestObject } from 'nestjs-kopf/testing';

/** The value of a field that is left out. */
const ABSENT = Symbol('absent');
/** Parts of objects that are not the desired state. */
const NOT_WANTED = new Set(['apiVersion', 'kind', 'metadata', 'status']);
const QUANTITY = /^(\d+(?:\.\d+)?)(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/;
/** Units, each with a unit that is smaller by the factor 1000 or 1024. */
const SMALLER_UNITS: Readonly<Record<string, readonly [unit: string, factor: number]>> = {
  k: ['', 1000],
  M: ['k', 1000],
  G: ['M', 1000],
  T: ['G', 1000],
  P: ['T', 1000],
  E: ['P', 1000],
  Ki: ['', 1024],
  Mi: ['Ki', 1024],
  Gi: ['Mi', 1024],
  Ti: ['Gi', 1024],
  Pi: ['Ti', 1024],
  Ei: ['Pi', 1024],
};
/** Units, each with a unit that is larger by the factor 1000 or 1024, where the smaller ones are common. */
const LARGER_UNITS: Readonly<Record<string, readonly [unit: string, factor: number]>> = {
  m: ['', 1000],
  M: ['G', 1000],
  Mi: ['Gi', 1024],
  Gi: ['Ti', 1024],
};

/** A place of an object that can be changed. */
interface Site {
  readonly keys: readonly (string | number)[];
  readonly node: SchemaNode;
  /** The present value; absent if the object could have the field. */
  readonly value: unknown;
  readonly isRequired: boolean;
}

/**
 * Changes single fields of an object as their types suggest: to their bounds and to unusual values, to the other values of an enum, to the same
 * quantity in another unit. Optional fields are left out and added; lists and maps grow and shrink. The result fits the schema, so the API server
 * accepts it, but an operator may not be able to reach much of it.
 */
export class FieldChanges {
  private readonly creator: SchemaValues;

  /** @param fields the paths of the parts that are changed: `spec`, `spec.disks[].size`. @default the whole desired state */
  constructor(
    private readonly random: Random,
    private readonly schema: SchemaNode,
    private readonly values: FieldValues = {},
    private readonly fields?: readonly string[],
  ) {
    this.creator = new SchemaValues(random, values);
  }

  /** Changes one random field. @returns another object; `undefined` if nothing can be changed */
  draw(object: TestManifestObject): TestManifestObject | undefined {
    const sites = this.sitesOf(object);
    for (let attempt = 0; attempt < 20 && sites.length > 0; attempt++) {
      const site = this.pick(sites);
      const candidates = this.candidatesOf(site).filter((each) => !deepEqual(each, site.value));
      if (candidates.length > 0) return withValue(object, site.keys, this.pick(candidates));
    }
    return undefined;
  }

  private sitesOf(object: TestManifestObject): readonly Site[] {
    const sites: Site[] = [];
    const visit = (node: SchemaNode, value: unknown, keys: Site['keys'], isRequired: boolean): void => {
      if (keys.length > 0 && this.isWanted(keys)) sites.push({ keys, node, value, isRequired });
      if (Array.isArray(value)) value.forEach((item, index) => visit(node.items ?? {}, item, [...keys, index], true));
      if (!isMap(value)) return;
      const { properties = {}, required = [], additionalProperties } = node;
      for (const [name, member] of Object.entries(properties)) {
        if (keys.length === 0 && NOT_WANTED.has(name)) continue;
        visit(member, value[name], [...keys, name], required.includes(name));
      }
      if (!additionalProperties) return;
      for (const name of Object.keys(value)) {
        if (!(name in properties)) visit(additionalProperties, value[name], [...keys, name], false);
      }
    };
    visit(this.schema, object, [], true);
    return sites;
  }

  private isWanted(keys: Site['keys']): boolean {
    const path = pathOf(keys);
    return this.fields?.some((field) => path === field || /^[.[]/.test(path.slice(field.length))) ?? true;
  }

  private candidatesOf({ keys, node, value, isRequired }: Site): readonly unknown[] {
    const found: unknown[] = [];
    if (value !== undefined && !isRequired) found.push(ABSENT);
    if (node.nullable) found.push(null);
    const path = pathOf(keys);
    if (value === undefined || path in this.values) found.push(this.creator.create(node, path));
    else if (node.enum) found.push(...node.enum);
    else if (typeof value === 'boolean') found.push(!value);
    else if (typeof value === 'number') found.push(...numbersNear(value, node), ...quantitiesOf(value, node));
    else if (typeof value === 'string') found.push(...this.textsNear(value, node, path));
    else if (Array.isArray(value)) found.push(...this.listsNear(value, node, path));
    else if (isMap(value) && node.additionalProperties) found.push(this.withAnotherKey(value, node, path));
    return found;
  }

  private textsNear(value: string, node: SchemaNode, path: string): readonly string[] {
    const { minLength = 0, maxLength = 300, pattern, format } = node;
    const fits = ({ length }: string): boolean => length >= minLength && length <= maxLength;
    if (pattern !== undefined || format !== undefined) {
      // The value shows that this is a quantity, as the CRDs of Go operators have it: with a pattern, and no name for it.
      const quantities = quantitiesNear(value, node).filter(fits);
      return quantities.length > 0 ? quantities : [this.creator.create(node, path) as string];
    }
    const texts = [...quantitiesNear(value), '', `${value}x`, 'Not a Name!', 'x'.repeat(Math.min(maxLength, 300))];
    return texts.filter(fits);
  }

  private listsNear(value: readonly unknown[], node: SchemaNode, path: string): readonly unknown[][] {
    const { items = {}, minItems = 0, maxItems = Infinity } = node;
    const longer = [...value, this.creator.create(items, `${path}[]`)];
    const lists = [[], value.slice(0, -1), value.slice(1), value.toReversed(), longer];
    return lists.filter(({ length }) => length >= minItems && length <= maxItems);
  }

  private withAnotherKey(value: JsonMap, { additionalProperties }: SchemaNode, path: string): JsonMap {
    const name = `key${Object.keys(value).length}`;
    return { ...value, [name]: this.creator.create(additionalProperties!, `${path}{}`) };
  }

  private pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random.next() * items.length)]!;
  }
}

/** Infers a schema from an object, for resources without a CRD. All fields are required but the members of maps of texts. */
export function inferSchema(value: unknown): SchemaNode {
  if (Array.isArray(value)) return { type: 'array', ...(value.length > 0 && { items: inferSchema(value[0]) }) };
  if (isMap(value)) {
    const members = Object.entries(value);
    const isMapOfTexts = members.length > 0 && members.every(([, member]) => typeof member === 'string');
    if (isMapOfTexts && !('apiVersion' in value)) return { type: 'object', additionalProperties: { type: 'string' } };
    const properties = Object.fromEntries(members.map(([name, member]) => [name, inferSchema(member)]));
    return { type: 'object', properties, required: Object.keys(properties) };
  }
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  return { type: typeof value === 'boolean' ? 'boolean' : 'string' };
}

function numbersNear(value: number, { type, minimum = -(2 ** 31), maximum = 2 ** 31 - 1 }: SchemaNode): number[] {
  const numbers = [minimum, maximum, 0, 1, value - 1, value + 1, value * 10];
  if (type === 'number') numbers.push(value + 0.5);
  return [...new Set(numbers)].filter((each) => each >= minimum && each <= maximum);
}

/** Other amounts of a quantity, and the same amount in other units: `2Gi` is `2048Mi`, `1500m` is `1.5`. */
function quantitiesNear(value: string, { pattern, format }: SchemaNode = {}): readonly string[] {
  const [, digits, unit = ''] = QUANTITY.exec(value) ?? [];
  if (digits === undefined) return [];
  const amount = Number(digits);
  const isKnown = pattern !== undefined || format !== undefined;
  // Without a schema that says so, a number in a text need not be a quantity.
  const [smaller, factor] = SMALLER_UNITS[unit] ?? (isKnown && unit === '' ? ['m', 1000] : []);
  const [larger, divisor] = LARGER_UNITS[unit] ?? [];
  const same = [
    ...(smaller === undefined ? [] : [`${amount * factor!}${smaller}`]),
    ...(larger === undefined ? [] : [`${amount / divisor!}${larger}`]),
  ];
  const others = [`${amount * 2}${unit}`, `${Math.ceil(amount / 2)}${unit}`, `0${unit}`, `-${amount}${unit}`, ...same];
  return others.filter((other) => matches(other, pattern));
}

/** The quantities near a number that can also be a text with a unit: `1` is `1000m`. */
function quantitiesOf(value: number, node: SchemaNode): readonly string[] {
  return node['x-kubernetes-int-or-string'] && node.pattern !== undefined ? quantitiesNear(String(value), node) : [];
}

function matches(text: string, pattern: string | undefined): boolean {
  try {
    return pattern === undefined || new RegExp(pattern, 'u').test(text);
  } catch {
    // Patterns of CRDs are those of Go, which knows some that JavaScript does not. The API server checks them anyway.
    return true;
  }
}

/** A copy of an object with another value at a place. */
function withValue(object: TestManifestObject, keys: Site['keys'], value: unknown): TestManifestObject {
  const copy = deepCopy(object);
  let holder = copy as unknown as JsonMap;
  for (const key of keys.slice(0, -1)) holder = holder[key] as JsonMap;
  const last = keys.at(-1)!;
  if (value === ABSENT) delete holder[last];
  else holder[last] = deepCopy(value);
  return copy;
}

function pathOf(keys: Site['keys']): string {
  return keys.map((key, index) => (typeof key === 'number' ? '[]' : `${index ? '.' : ''}${key}`)).join('');
}
