import { mapping } from '../common/json.values.js';
import { formatQuantity, parseQuantity, type Quantity } from './quantity.js';

/** Amounts by the names of resources: `cpu`, `requests.memory`, `pods`. */
export type ResourceList = ReadonlyMap<string, Quantity>;

const ZERO: Quantity = { nanos: 0n, form: 'decimal' };

/** Reads amounts in the form of objects, leaving out what is no quantity. */
export function resourceList(value: unknown): ResourceList {
  const list = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(mapping(value))) {
    const quantity = parseQuantity(text);
    if (quantity) list.set(name, quantity);
  }
  return list;
}

/** Returns the amounts in the form of objects. */
export function resourceFields(list: ResourceList): Record<string, string> {
  return Object.fromEntries([...list].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

export function addResources(a: ResourceList, b: ResourceList): ResourceList {
  const sum = new Map(a);
  for (const [name, quantity] of b) sum.set(name, plus(sum.get(name), quantity));
  return sum;
}

/** Returns the differences; those below 0 are 0. */
export function subtractResources(a: ResourceList, b: ResourceList): ResourceList {
  const rest = new Map(a);
  for (const [name, { nanos, form }] of b) {
    const had = rest.get(name) ?? { ...ZERO, form };
    rest.set(name, { nanos: had.nanos > nanos ? had.nanos - nanos : 0n, form: had.form });
  }
  return rest;
}

/** Returns the larger of each two amounts. */
export function maxResources(a: ResourceList, b: ResourceList): ResourceList {
  const result = new Map(a);
  for (const [name, quantity] of b) {
    const other = result.get(name);
    if (!other || other.nanos < quantity.nanos) result.set(name, quantity);
  }
  return result;
}

/** Returns the amounts of these names only. */
export function maskResources(list: ResourceList, names: Iterable<string>): ResourceList {
  const masked = new Map<string, Quantity>();
  for (const name of names) {
    const quantity = list.get(name);
    if (quantity) masked.set(name, quantity);
  }
  return masked;
}

/** Writes amounts for messages: `cpu=1,pods=2`. */
export function formatResources(list: ResourceList): string {
  const sorted = [...list].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, quantity]) => `${name}=${formatQuantity(quantity)}`).join(',');
}

/** Compares amounts; absent ones are 0. */
export function equalResources(a: ResourceList, b: ResourceList): boolean {
  return a.size === b.size && [...a].every(([name, { nanos }]) => b.get(name)?.nanos === nanos);
}

function plus(a: Quantity | undefined, b: Quantity): Quantity {
  return a ? { nanos: a.nanos + b.nanos, form: a.nanos === 0n ? b.form : a.form } : b;
}
