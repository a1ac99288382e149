import { parseJson, stringifyJson } from 'kube-common';
import { isJsonObject, isNumeric, sortedJson } from '../common/json.values.js';

/**
 * One step into a value, as `fieldsV1` writes it: `f:name` for a member, `k:{"name":"a"}` for the item with these keys, `v:"a"` for the
 * item of a set, `i:0` for a place. Equal steps are equal texts.
 */
export type PathElement = string;

/** The steps from the whole object to a value in it. */
export type FieldPath = readonly PathElement[];

export function memberElement(name: string): PathElement {
  return `f:${name}`;
}

/** Returns the name of the member that a step leads to; `undefined` if it leads to an item of a list. */
export function memberName(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

export function valueElement(value: unknown): PathElement {
  return `v:${sortedJson(value)}`;
}

export function keyElement(keys: Readonly<Record<string, unknown>>): PathElement {
  return `k:${sortedJson(keys)}`;
}

/** Reads a step that a client wrote. @throws Error if it is none */
export function parseElement(text: string): PathElement {
  const content = text.slice(2);
  switch (text.slice(0, 2)) {
    case 'f:':
      return text;
    case 'v:':
      return valueElement(parseJson(content));
    case 'k:': {
      const keys: unknown = parseJson(content);
      if (isJsonObject(keys)) return keyElement(keys);
      break;
    }
    case 'i:':
      if (/^\d+$/.test(content)) return text;
  }
  throw new Error(`${JSON.stringify(text)} is no step of a path`);
}

/** Writes a path as messages do: `.spec.ports[port=80,protocol="TCP"]`. */
export function printPath(path: FieldPath): string {
  return path.map(printElement).join('');
}

export function printElement(element: PathElement): string {
  const content = element.slice(2);
  if (element.startsWith('f:')) return `.${content}`;
  if (element.startsWith('v:')) return `[=${content}]`;
  if (element.startsWith('i:')) return `[${content}]`;
  const keys = Object.entries(parseJson(content) as object);
  return `[${keys.map(([name, value]) => `${name}=${stringifyJson(value)}`).join(',')}]`;
}

const KINDS = ['f', 'k', 'v', 'i'];

/** Compares steps by the order in which the server writes them: members, keys, values, places. */
export function compareElements(left: PathElement, right: PathElement): number {
  const kind = left[0]!;
  const other = right[0]!;
  if (kind !== other) return KINDS.indexOf(kind) - KINDS.indexOf(other);
  if (kind === 'f') return compareValues(left, right);
  const [leftValue, rightValue] = [parseJson(left.slice(2)) as unknown, parseJson(right.slice(2)) as unknown];
  if (kind !== 'k') return compareValues(leftValue, rightValue);
  return compareLists(Object.entries(leftValue as object).flat(), Object.entries(rightValue as object).flat());
}

function compareLists(left: readonly unknown[], right: readonly unknown[]): number {
  for (const [index, item] of left.entries()) {
    const order = index < right.length ? compareValues(item, right[index]) : 1;
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareValues(left: unknown, right: unknown): number {
  if ((isNumeric(left) && isNumeric(right)) || (typeof left === 'string' && typeof right === 'string')) {
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (isNumeric(left) || isNumeric(right)) return isNumeric(left) ? -1 : 1;
  return compareValues(JSON.stringify(left), JSON.stringify(right));
}
