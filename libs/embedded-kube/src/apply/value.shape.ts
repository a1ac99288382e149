import { getMember, isJsonObject, jsonEqual } from '../common/json.values.js';
import { elementOf } from './list.items.js';
import { formOf, isGranular, memberType, type ValueType } from './value.type.js';

/**
 * Describes which fields a new value has, and not what they hold: what a creation adds to an empty object depends on nothing else. The same
 * fields in another order are another shape.
 *
 * @param empty the value to which this one is compared
 */
export function shapeOf(value: unknown, empty: unknown, type: ValueType): string {
  if (typeof value !== 'object' || value === null) return empty !== undefined && jsonEqual(value, empty) ? '=' : '';
  const form = formOf(type, value);
  if (!isGranular(type, form)) return empty !== undefined && jsonEqual(value, empty) ? '=' : '*';
  if (form === 'list') return shapeOfItems(value, type);
  if (!isJsonObject(value)) return '!';
  const before = isJsonObject(empty) ? empty : undefined;
  let shape = '{';
  for (const name of Object.keys(value)) {
    const member = value[name];
    const inner = memberType(type, name);
    if (member === undefined || !inner) continue;
    shape += `${name}"${shapeOf(member, before && getMember(before, name), inner)},`;
  }
  return `${shape}}`;
}

function shapeOfItems(value: unknown, { list }: ValueType): string {
  if (!Array.isArray(value)) return '!';
  let shape = '[';
  for (const item of value as readonly unknown[]) {
    const element = elementOf(list!, item);
    if (element !== undefined) shape += `${element}"${shapeOf(item, undefined, list!.items())},`;
  }
  return `${shape}]`;
}
