import { isJsonObject, type JsonObject, setMember } from '../common/json.values.js';
import type { FieldSet } from './field.set.js';
import { elementOf } from './list.items.js';
import { memberElement, type PathElement } from './path.element.js';
import { formOf, isGranular, memberType, type ValueType } from './value.type.js';

/**
 * Returns a value without some of its fields; a list or a mapping that becomes empty is replaced by null. The value itself is not changed.
 */
export function removeFields(value: unknown, fields: FieldSet, type: ValueType | undefined): unknown {
  if (fields.isEmpty || !type) return value;
  const form = formOf(type, value);
  if (form === 'list' && Array.isArray(value) && isGranular(type, form)) {
    const items = value.flatMap((item: unknown) => {
      const element = elementOf(type.list!, item);
      return element === undefined ? [item] : remaining(item, element, fields, type.list!.items());
    });
    return items.length > 0 ? items : null;
  }
  if (form !== 'map' || !isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const [left] = remaining(member, memberElement(name), fields, memberType(type, name));
    if (left !== undefined) setMember(result, name, left);
  }
  return Object.keys(result).length > 0 ? result : null;
}

function remaining(value: unknown, element: PathElement, fields: FieldSet, type: ValueType | undefined): unknown[] {
  return fields.has(element) ? [] : [removeFields(value, fields.below(element), type)];
}
