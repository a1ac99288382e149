import { isJsonObject } from '../common/json.values.js';
import { keyElement, type PathElement, valueElement } from './path.element.js';
import type { ListType } from './value.type.js';

/** The error for a value that cannot have an owner: an item without a key, or a value that does not fit its type. */
export class UntypedValueError extends Error {}

/**
 * Returns the step that leads to an item of a list with keys, or of a set.
 *
 * @throws UntypedValueError if nothing identifies the item
 */
export function itemElement({ keys = [], defaults = {} }: ListType, item: unknown): PathElement {
  if (keys.length === 0) {
    const problem = setItemProblem(item);
    if (problem) throw new UntypedValueError(problem);
    return valueElement(item);
  }
  if (item === null) throw new UntypedValueError('associative list with keys may not have a null element');
  if (!isJsonObject(item)) throw new UntypedValueError('associative list with keys may not have non-map elements');
  const identity: Record<string, unknown> = {};
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : defaults[key];
    if (value !== undefined) identity[key] = value;
  }
  if (Object.keys(identity).length > 0) return keyElement(identity);
  const names = keys.map((key) => JSON.stringify(key)).join(' ');
  throw new UntypedValueError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

/** Describes why a value cannot be in a set, in the server's words. */
function setItemProblem(item: unknown): string | undefined {
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (isJsonObject(item)) return "associative list without keys has an element that's a map type";
  return Array.isArray(item) ? 'not supported: associative list with lists as elements' : undefined;
}

/** Returns the items of a list by the steps that lead to them, in their order. @throws UntypedValueError */
export function itemsByElement(type: ListType, list: unknown): Map<PathElement, unknown[]> {
  const items = new Map<PathElement, unknown[]>();
  for (const item of Array.isArray(list) ? list : []) {
    const element = itemElement(type, item);
    const same = items.get(element);
    if (same) same.push(item);
    else items.set(element, [item]);
  }
  return items;
}

/** Returns the step that leads to an item; `undefined` if nothing identifies it. */
export function elementOf(type: ListType, item: unknown): PathElement | undefined {
  try {
    return itemElement(type, item);
  } catch {
    return undefined;
  }
}
