import { isJsonObject } from '../common/json.values.js';
import { FieldSet } from './field.set.js';
import { elementOf } from './list.items.js';
import { type FieldPath, memberElement } from './path.element.js';
import { formOf, isGranular, memberType, type ValueType } from './value.type.js';

/**
 * Returns the fields that a manager owns by applying a value: scalars, values that are replaced as a whole, items, free members, and empty
 * mappings and nulls.
 */
export function fieldsOf(value: unknown, type: ValueType): FieldSet {
  const paths: FieldPath[] = [];
  visit(value, type, [], paths);
  return FieldSet.of(paths);
}

function visit(value: unknown, type: ValueType, path: FieldPath, paths: FieldPath[]): void {
  const form = formOf(type, value);
  if (!isGranular(type, form)) {
    paths.push(path);
  } else if (form === 'list') {
    for (const item of Array.isArray(value) ? value : []) {
      const element = elementOf(type.list!, item);
      if (element === undefined) continue;
      paths.push([...path, element]);
      visit(item, type.list!.items(), [...path, element], paths);
    }
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const below = [...path, memberElement(name)];
      if (!type.map!.field(name) || isBare(member)) paths.push(below);
      const inner = memberType(type, name);
      if (inner) visit(member, inner, below, paths);
    }
  }
}

function isBare(value: unknown): boolean {
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}
