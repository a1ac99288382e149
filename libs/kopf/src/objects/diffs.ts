import { resolveField, type FieldPath } from './field-path.js';
import { deepEqual, getKey, isMap, type JsonMap } from 'kube-common';

/** The change of a field: it was added, it was removed, or its value has changed. */
export type DiffOperation = 'add' | 'change' | 'remove';

/**
 * One difference of two values: the operation, the path of the field, the value before, the value after.
 *
 * The path is relative to the compared values, and empty if they differ as a whole. An absent value is `null`, which means the same for
 * Kubernetes.
 */
export type DiffItem<Value = any> = readonly [
  operation: DiffOperation,
  field: readonly string[],
  old: DiffValue<Value> | null,
  new: DiffValue<Value> | null,
];

/** All differences of two values in the order of the newer one's fields; empty if there are none. */
export type ObjectDiff<Value = any> = readonly DiffItem<Value>[];

/**
 * The type of a changed value: the value as a whole, or any of its nested fields, down to the given level. Lists have no fields.
 *
 * @example
 * DiffValue<{ size: string; limits: { cpu: number } }> // { size, limits } | string | { cpu } | number
 */
export type DiffValue<Value, Levels extends readonly unknown[] = [1, 2, 3, 4]> = 0 extends 1 & Value
  ? any
  : Levels extends readonly [unknown, ...infer Below]
    ? Value extends readonly unknown[]
      ? Value
      : Value extends object
        ? Value | { [Field in keyof Value]-?: DiffValue<NonNullable<Value[Field]>, Below> }[keyof Value]
        : Value
    : Value;

/** The fields that are compared: those of both values, only those of the older (left) one, or only those of the newer (right) one. */
export type DiffScope = 'full' | 'left' | 'right';

/** The diff of equal values, shared. */
export const EMPTY_DIFF: ObjectDiff = Object.freeze([]);

/**
 * Compares two JSON values and lists the changes from the older one to the newer one.
 *
 * Maps are compared field by field, where `null` means the same as an absent field; lists and everything else are compared as a whole. The
 * comparison is strict: `1`, `true`, and `'1'` differ. The items follow the fields of the newer value; after the fields of each map follow
 * the removed ones.
 *
 * @example
 * diff({ a: 1, b: 2 }, { c: 3, a: 4 }); // [['add', ['c'], null, 3], ['change', ['a'], 1, 4], ['remove', ['b'], 2, null]]
 */
export function diff(a: unknown, b: unknown, scope: DiffScope = 'full'): ObjectDiff {
  if (isSame(a, b)) return EMPTY_DIFF;
  const items: DiffItem[] = [];
  collect(a, b, scope, [], items);
  return items.length > 0 ? items : EMPTY_DIFF;
}

/** Reduces a diff to one field: paths become relative to it, and changes of the levels above it are converted to changes of the field. */
export function reduceDiff(whole: ObjectDiff, path: FieldPath): ObjectDiff {
  if (path.length === 0 || whole.length === 0) return whole;
  const items: DiffItem[] = [];
  for (const item of whole) {
    const [operation, field, before, after] = item;
    if (!haveCommonStart(field, path)) continue;
    if (field.length >= path.length) {
      items.push([operation, field.slice(path.length), before, after]);
    } else {
      const rest = path.slice(field.length);
      items.push(...diff(resolveField(before, rest), resolveField(after, rest)));
    }
  }
  return items.length > 0 ? items : EMPTY_DIFF;
}

/** Compares two values without allocating, as most comparisons are of equal values. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const left = a ?? null;
  const right = b ?? null;
  if (!isMap(left) || !isMap(right)) return deepEqual(left, right);
  for (const key in right) {
    if (!isSame(getKey(left, key), right[key])) return false;
  }
  for (const key in left) {
    if (!Object.hasOwn(right, key) && (left[key] ?? null) !== null) return false;
  }
  return true;
}

function collect(a: unknown, b: unknown, scope: DiffScope, path: string[], items: DiffItem[]): void {
  const before = a ?? null;
  const after = b ?? null;
  if (before === after) return;
  if (before === null) items.push(['add', [...path], null, after]);
  else if (after === null) items.push(['remove', [...path], before, null]);
  else if (isMap(before) && isMap(after)) collectFields(before, after, scope, path, items);
  else if (!deepEqual(before, after)) items.push(['change', [...path], before, after]);
}

function collectFields(a: JsonMap, b: JsonMap, scope: DiffScope, path: string[], items: DiffItem[]): void {
  for (const key of Object.keys(b)) {
    if (scope === 'left' && !Object.hasOwn(a, key)) continue;
    path.push(key);
    collect(getKey(a, key), b[key], scope, path, items);
    path.pop();
  }
  if (scope === 'right') return;
  for (const key of Object.keys(a)) {
    if (Object.hasOwn(b, key)) continue;
    path.push(key);
    collect(a[key], undefined, scope, path, items);
    path.pop();
  }
}

function haveCommonStart(a: FieldPath, b: FieldPath): boolean {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    if (a[index] !== b[index]) return false;
  }
  return true;
}
