import { deepCopy, deepEqual, isMap, type JsonMap, type Random } from 'kube-common';
import type { SchemaNode } from 'nestjs-kopf/crd';
import { type FieldValues, SchemaValues, type TestManifestObject } from 'nestjs-kopf/testing';

/** The value of a field that is left out. */
const ABSENT = Symbol('absent');
/** Parts of objects that are not the desired state. */
const NOT_WANTED = new Set(['apiVersion', 'kind', 'metadata', 'status']);
const QUANTITY = /^(\d+)(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/;
/** Units, each with a unit that is smaller by the factor 1000 or 1024. */
const SMALLER_UNITS: Readonly<Record<string, readonly [unit: string, factor: number]>> = {
  k: ['', 1000],
  M: ['k', 1000],
  G: ['M', 1000],
  Ki: ['', 1024],
  Mi: ['Ki', 1024],
  Gi: ['Mi', 1024],
  Ti: ['Gi', 1024],
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
    else if (typeof value === 'number') found.push(...numbersNear(value, node));
    else if (typeof value === 'string') found.push(...this.textsNear(value, node, path));
    else if (Array.isArray(value)) found.push(...this.listsNear(value, node, path));
    else if (isMap(value) && node.additionalProperties) found.push(this.withAnotherKey(value, node, path));
    return found;
  }

  private textsNear(value: string, node: SchemaNode, path: string): readonly string[] {
    const { minLength = 0, maxLength = 300, pattern, format } = node;
    if (pattern !== undefined || format !== undefined) return [this.creator.create(node, path) as string];
    const texts = [...quantitiesNear(value), '', `${value}x`, 'Not a Name!', 'x'.repeat(Math.min(maxLength, 300))];
    return texts.filter(({ length }) => length >= minLength && length <= maxLength);
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

/** Other amounts of a quantity, and the same amount in another unit: `2Gi` is `2048Mi`. */
function quantitiesNear(value: string): readonly string[] {
  const [, digits, unit = ''] = QUANTITY.exec(value) ?? [];
  if (digits === undefined) return [];
  const amount = Number(digits);
  const [smaller, factor] = SMALLER_UNITS[unit] ?? [];
  const same = smaller === undefined ? [] : [`${amount * factor!}${smaller}`];
  return [`${amount * 2}${unit}`, `${Math.ceil(amount / 2)}${unit}`, `0${unit}`, `-${amount}${unit}`, ...same];
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
