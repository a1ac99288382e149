import { getMember, isJsonObject, type JsonObject, setMember } from '../common/json.values.js';
import { elementOf, itemsByElement } from './list.items.js';
import type { PathElement } from './path.element.js';
import { formOf, isGranular, type ListType, memberType, type ValueType } from './value.type.js';

/**
 * Merges an applied value into the stored one: members and items are combined, and what is replaced as a whole is taken from the applied
 * one. Neither value is changed.
 */
export function mergeValues(current: unknown, applied: unknown, type: ValueType | undefined): unknown {
  if (applied === undefined || !type) return current;
  if (current === undefined) return applied;
  const form = formOf(type, applied);
  if (!isGranular(type, form)) return applied;
  if (form === 'list') return mergeLists(current, applied, type.list!);
  if (!isJsonObject(current) || !isJsonObject(applied) || Object.keys(applied).length === 0) {
    return isJsonObject(current) && Object.keys(current).length > 0 ? current : applied;
  }
  const merged: JsonObject = { ...current };
  for (const [name, value] of Object.entries(applied)) {
    setMember(merged, name, mergeValues(getMember(current, name), value, memberType(type, name)));
  }
  return merged;
}

/**
 * Merges lists by what identifies their items. Items in both lists have the order of the applied one, the others stay where they were
 * relative to those around them.
 */
function mergeLists(current: unknown, applied: unknown, type: ListType): unknown {
  if (!Array.isArray(current) || !Array.isArray(applied) || current.length === 0 || applied.length === 0) {
    return Array.isArray(current) && current.length > 0 ? current : applied;
  }
  const [old, next] = [itemsByElement(type, current), itemsByElement(type, applied)];
  const order = [...next.keys()];
  const shared = order.filter((element) => old.has(element));
  const merged: unknown[] = [];
  const done = new Set<PathElement | undefined>();
  const take = (element: PathElement): void => {
    const same = old.get(element) ?? [];
    merged.push(mergeValues(same.length === 1 ? same[0] : undefined, next.get(element)![0], type.items()));
    done.add(element);
    if (shared[0] === element) shared.shift();
  };
  let taken = 0;
  for (const item of current) {
    const element = elementOf(type, item);
    if (element === undefined || !next.has(element)) {
      merged.push(item);
      continue;
    }
    // An item that is to come later is left for its turn; those that the applied list has before it come now.
    const isLater = taken < order.length && shared[0] !== undefined && shared[0] !== element;
    while (!isLater && taken < order.length && !done.has(element)) take(order[taken++]!);
  }
  for (const element of order.slice(taken)) take(element);
  return merged;
}
