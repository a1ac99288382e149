import { getMember, isJsonObject, jsonEqual } from '../common/json.values.js';
import { FieldSet } from './field.set.js';
import { itemsByElement } from './list.items.js';
import { type FieldPath, memberElement } from './path.element.js';
import { formOf, isGranular, memberType, type ValueForm, type ValueType } from './value.type.js';

/** Holds the differences of two values of a type. */
export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/** Compares two values of a type, field by field. */
export function compareValues(before: unknown, after: unknown, type: ValueType): Comparison {
  const walk = new ComparisonWalk();
  walk.visit(before, after, type, []);
  const { added, removed, modified } = walk;
  return { added: FieldSet.of(added), removed: FieldSet.of(removed), modified: FieldSet.of(modified) };
}

class ComparisonWalk {
  readonly added: FieldPath[] = [];
  readonly removed: FieldPath[] = [];
  readonly modified: FieldPath[] = [];

  visit(before: unknown, after: unknown, type: ValueType | undefined, path: FieldPath): void {
    if (before === after || !type) return;
    if (before === undefined) this.added.push(path);
    if (after === undefined) this.removed.push(path);
    const values = [before, after].filter((value) => value !== undefined);
    for (const form of new Set(values.map((value) => formOf(type, value)))) {
      this.visitForm(form, before, after, type, path);
    }
  }

  private visitForm(form: ValueForm, before: unknown, after: unknown, type: ValueType, path: FieldPath): void {
    if (!isGranular(type, form) || (isEmpty(before, form) && isEmpty(after, form))) {
      if (before !== undefined && after !== undefined && !jsonEqual(before, after)) this.modified.push(path);
    } else if (form === 'list') {
      this.visitItems(before, after, type, path);
    } else {
      const [old, next] = [before, after].map((value) => (isJsonObject(value) ? value : {}));
      for (const name of new Set([...Object.keys(old), ...Object.keys(next)])) {
        this.visit(getMember(old, name), getMember(next, name), memberType(type, name), [...path, memberElement(name)]);
      }
    }
  }

  private visitItems(before: unknown, after: unknown, { list }: ValueType, path: FieldPath): void {
    const old = itemsByElement(list!, before);
    const next = itemsByElement(list!, after);
    for (const element of new Set([...old.keys(), ...next.keys()])) {
      const [left = [], right = []] = [old.get(element), next.get(element)];
      const below = [...path, element];
      if (left.length <= 1 && right.length <= 1) this.visit(left[0], right[0], list!.items(), below);
      else if (left.length === 0) this.added.push(below);
      else if (right.length === 0) this.removed.push(below);
      else if (!jsonEqual(left, right)) this.modified.push(below);
    }
  }
}

function isEmpty(value: unknown, form: ValueForm): boolean {
  if (form === 'list') return !Array.isArray(value) || value.length === 0;
  return !isJsonObject(value) || Object.keys(value).length === 0;
}
