import { compilePattern } from '../../common/regular.expression.js';
import type { CelDeclaration } from '../checking/cel.functions.js';
import { CelEvaluationError } from '../values/cel.error.js';
import { celCompare, celEqual } from '../values/cel.equality.js';
import { CelDuration, CelOptional, type CelUint, type CelValue } from '../values/cel.value.js';
import { typeOfValue } from '../values/value.type.js';
import { int, uint } from './operator.library.js';

type List = readonly CelValue[];

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

const SUMS: Readonly<Record<string, (list: List) => CelValue>> = {
  int: (list) => (list as bigint[]).reduce((sum, each) => int(sum + each), 0n),
  uint: (list) => uint((list as CelUint[]).reduce((sum, each) => sum + each.value, 0n)),
  double: (list) => (list as number[]).reduce((sum, each) => sum + each, 0),
  duration: (list) => new CelDuration((list as CelDuration[]).reduce((sum, each) => sum + each.nanoseconds, 0n)),
};

function extreme(name: string, isBetter: (order: number) => boolean): (list: List) => CelValue {
  return (list) => {
    if (list.length === 0) throw new CelEvaluationError(`${name} called on empty list`);
    return list.reduce((best, each) => (isBetter(celCompare(each, best)) ? each : best));
  };
}

function isSorted(list: List): boolean {
  return list.every((each, index) => index === 0 || celCompare(list[index - 1]!, each) <= 0);
}

function sortByKeys(list: List, keys: List): List {
  const types = new Set(keys.map((key) => typeOfValue(key).text));
  if (types.size > 1) throw new CelEvaluationError('list elements must have the same type');
  const order = [...list.keys()].sort((left, right) => celCompare(keys[left]!, keys[right]!));
  return order.map((index) => list[index]!);
}

function flatten(list: List, depth = 1n): List {
  if (depth < 0n) throw new CelEvaluationError('level must be non-negative');
  if (depth === 0n) return list;
  return list.flatMap((each) => (Array.isArray(each) ? [...flatten(each, depth - 1n)] : [each]));
}

function slice(list: List, start: bigint, end: bigint): List {
  if (start < 0n || end < 0n) {
    throw new CelEvaluationError(`cannot slice(${start}, ${end}), negative indexes not supported`);
  }
  if (start > end)
    throw new CelEvaluationError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(list.length))
    throw new CelEvaluationError(`cannot slice(${start}, ${end}), list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

function distinct(list: List): List {
  return list.filter((each, index) => list.findIndex((other) => celEqual(other, each)) === index);
}

/** The longest list that `lists.range` makes. */
const MAX_RANGE = 10_000_000n;

function range(count: bigint): List {
  if (count > MAX_RANGE) throw new CelEvaluationError(`lists.range: ${count} exceeds the limit of ${MAX_RANGE}`);
  return Array.from({ length: Math.max(Number(count), 0) }, (_, index) => BigInt(index));
}

function contains(list: List, item: CelValue): boolean {
  return list.some((each) => celEqual(each, item));
}

function containsAll(list: List, items: List): boolean {
  return items.every((item) => contains(list, item));
}

function findAll(text: string, pattern: string, limit = -1n): string[] {
  return compiled(pattern).findAll(text, limit < 0n ? undefined : Number(limit));
}

function compiled(pattern: string): ReturnType<typeof compilePattern> {
  try {
    return compilePattern(pattern);
  } catch (error) {
    throw new CelEvaluationError(`Illegal regex: ${(error as Error).message}`);
  }
}

/** The functions on lists: those of Kubernetes, and those that CEL has as extensions. */
export const LIST_LIBRARY: readonly CelDeclaration[] = [
  ...COMPARABLE.flatMap((type): CelDeclaration[] => [
    [`list_${type}_is_sorted_bool`, `list(${type}).isSorted() bool`, isSorted],
    [`list_${type}_max_${type}`, `list(${type}).max() ${type}`, extreme('max', (order) => order > 0)],
    [`list_${type}_min_${type}`, `list(${type}).min() ${type}`, extreme('min', (order) => order < 0)],
    [`list_${type}_sortByAssociatedKeys`, `list(T).@sortByAssociatedKeys(list(${type})) list(T)`, sortByKeys],
    [`list_${type}_sort`, `list(${type}).sort() list(${type})`, (list: List) => [...list].sort(celCompare)],
  ]),
  ...Object.entries(SUMS).map(([type, sum]): CelDeclaration => [
    `list_${type}_sum_${type}`,
    `list(${type}).sum() ${type}`,
    sum,
  ]),
  [
    'list_a_index_of_int',
    'list(A).indexOf(A) int',
    (list: List, item: CelValue) => BigInt(list.findIndex((each) => celEqual(each, item))),
  ],
  [
    'list_a_last_index_of_int',
    'list(A).lastIndexOf(A) int',
    (list: List, item: CelValue) => BigInt(list.findLastIndex((each) => celEqual(each, item))),
  ],
  ['list_first', 'list(T).first() optional(T)', (list: List) => new CelOptional(list[0])],
  ['list_last', 'list(T).last() optional(T)', (list: List) => new CelOptional(list.at(-1))],
  ['list_slice', 'list(T).slice(int, int) list(T)', slice],
  ['list_flatten', 'list(list(T)).flatten() list(T)', flatten],
  ['list_flatten_int', 'list(dyn).flatten(int) list(dyn)', flatten],
  ['list_distinct', 'list(T).distinct() list(T)', distinct],
  ['list_reverse', 'list(T).reverse() list(T)', (list: List) => [...list].reverse()],
  ['lists_range', "'lists.range'(int) list(int)", range],
  ['list_sets_contains_list', "'sets.contains'(list(T), list(T)) bool", containsAll],
  [
    'list_sets_equivalent_list',
    "'sets.equivalent'(list(T), list(T)) bool",
    (a: List, b: List) => containsAll(a, b) && containsAll(b, a),
  ],
  [
    'list_sets_intersects_list',
    "'sets.intersects'(list(T), list(T)) bool",
    (a: List, b: List) => a.some((each) => contains(b, each)),
  ],
  [
    'string_find_string',
    'string.find(string) string',
    (text: string, pattern: string) => compiled(pattern).find(text) ?? '',
  ],
  ['string_find_all_string', 'string.findAll(string) list(string)', findAll],
  ['string_find_all_string_int', 'string.findAll(string, int) list(string)', findAll],
];
