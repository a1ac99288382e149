import { getMember, isJsonObject, jsonEqual } from '../common/json.values.js';
import { FieldSet } from './field.set.js';
import { FieldSetBuilder } from './field-set.builder.js';
import { itemsByElement, UntypedValueError } from './list.items.js';
import { memberElement, type PathElement } from './path.element.js';
import { formOf, isGranular, memberType, type ValueForm, type ValueType } from './value.type.js';

/** The differences of two values of a type. */
export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/**
 * Compares two values of a type, field by field. Each write does: it makes nothing for what is equal.
 *
 * @param skipped the members, and members of members, that are not looked at
 */
export function compareValues(
  before: unknown,
  after: unknown,
  type: ValueType,
  skipped: FieldSet = FieldSet.EMPTY,
): Comparison {
  const inside = new Differences();
  if (before !== after) compareInside(before, after, type, inside, skipped);
  return {
    added: inside.added?.build() ?? FieldSet.EMPTY,
    removed: inside.removed?.build() ?? FieldSet.EMPTY,
    modified: inside.modified?.build() ?? FieldSet.EMPTY,
  };
}

type Difference = keyof Comparison;

/** The differences that were found inside of a value. */
class Differences {
  added?: FieldSetBuilder;
  removed?: FieldSetBuilder;
  modified?: FieldSetBuilder;

  add(kind: Difference, element: PathElement): void {
    (this[kind] ??= new FieldSetBuilder()).add(element);
  }

  nest(element: PathElement, { added, removed, modified }: Differences): void {
    if (added) (this.added ??= new FieldSetBuilder()).nest(element, added.build());
    if (removed) (this.removed ??= new FieldSetBuilder()).nest(element, removed.build());
    if (modified) (this.modified ??= new FieldSetBuilder()).nest(element, modified.build());
  }
}

/** Compares what a step leads to. */
function compareBelow(
  element: PathElement,
  before: unknown,
  after: unknown,
  type: ValueType | undefined,
  differences: Differences,
  skipped: FieldSet,
): void {
  if (before === after || !type || skipped.has(element)) return;
  if (before === undefined) differences.add('added', element);
  else if (after === undefined) differences.add('removed', element);
  else if (type.scalar && isScalar(before) && isScalar(after)) {
    if (!jsonEqual(before, after)) differences.add('modified', element);
    return;
  }
  if (isScalar(before) && isScalar(after)) return;
  const inside = new Differences();
  if (compareInside(before, after, type, inside, skipped.below(element))) differences.add('modified', element);
  differences.nest(element, inside);
}

/** @returns true if the value itself is another one, and not only its parts */
function compareInside(
  before: unknown,
  after: unknown,
  type: ValueType,
  inside: Differences,
  skipped: FieldSet,
): boolean {
  const form = formOf(type, after === undefined ? before : after);
  const isReplaced = compareForm(form, before, after, type, inside, skipped);
  if (before === undefined || after === undefined) return isReplaced;
  const former = formOf(type, before);
  return former === form ? isReplaced : compareForm(former, before, after, type, inside, skipped) || isReplaced;
}

function compareForm(
  form: ValueForm,
  before: unknown,
  after: unknown,
  type: ValueType,
  inside: Differences,
  skipped: FieldSet,
): boolean {
  if (form === 'scalar' && (Array.isArray(before) || Array.isArray(after))) {
    throw new UntypedValueError('expected a scalar, got a list');
  }
  if (!isGranular(type, form) || (isEmpty(before, form) && isEmpty(after, form))) {
    return before !== undefined && after !== undefined && !jsonEqual(before, after);
  }
  if (form === 'list') compareItems(before, after, type, inside);
  else compareMembers(isJsonObject(before) ? before : {}, isJsonObject(after) ? after : {}, type, inside, skipped);
  return false;
}

function compareMembers(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  type: ValueType,
  inside: Differences,
  skipped: FieldSet,
): void {
  for (const name of Object.keys(after)) {
    const old = getMember(before, name);
    const next = after[name];
    if (old !== next) compareBelow(memberElement(name), old, next, memberType(type, name), inside, skipped);
  }
  for (const name of Object.keys(before)) {
    if (before[name] === undefined || getMember(after, name) !== undefined) continue;
    compareBelow(memberElement(name), before[name], undefined, memberType(type, name), inside, skipped);
  }
}

function compareItems(before: unknown, after: unknown, { list }: ValueType, inside: Differences): void {
  if (before !== undefined && after !== undefined && jsonEqual(before, after)) return;
  const old = itemsByElement(list!, before);
  const next = itemsByElement(list!, after);
  for (const element of new Set([...old.keys(), ...next.keys()])) {
    const [left = [], right = []] = [old.get(element), next.get(element)];
    if (left.length <= 1 && right.length <= 1)
      compareBelow(element, left[0], right[0], list!.items(), inside, FieldSet.EMPTY);
    else if (left.length === 0) inside.add('added', element);
    else if (right.length === 0) inside.add('removed', element);
    else if (!jsonEqual(left, right)) inside.add('modified', element);
  }
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object';
}

function isEmpty(value: unknown, form: ValueForm): boolean {
  if (form === 'list') return !Array.isArray(value) || value.length === 0;
  return !isJsonObject(value) || Object.keys(value).length === 0;
}
