import type { CelDeclaration } from '../checking/cel.functions.js';
import { CelEvaluationError } from '../values/cel.error.js';
import { celCompare, celEqual } from '../values/cel.equality.js';
import {
  CelDuration,
  CelMap,
  CelTimestamp,
  CelUint,
  type CelValue,
  identityOf,
  type ListIdentity,
  withIdentity,
} from '../values/cel.value.js';

const INT_RANGE = 2n ** 63n;
const UINT_RANGE = 2n ** 64n;
/** The first and the last second of the years 1 and 9999, in nanoseconds since the epoch. */
const MIN_TIME = -62_135_596_800n * 1_000_000_000n;
const MAX_TIME = 253_402_300_800n * 1_000_000_000n;

export function int(value: bigint): bigint {
  if (value >= INT_RANGE || value < -INT_RANGE) throw new CelEvaluationError('integer overflow');
  return value;
}

export function uint(value: bigint): CelUint {
  if (value >= UINT_RANGE || value < 0n) throw new CelEvaluationError('unsigned integer overflow');
  return new CelUint(value);
}

function duration(nanoseconds: bigint): CelDuration {
  if (nanoseconds >= INT_RANGE || nanoseconds < -INT_RANGE) throw new CelEvaluationError('duration overflow');
  return new CelDuration(nanoseconds);
}

export function time(nanoseconds: bigint): CelTimestamp {
  if (nanoseconds >= MAX_TIME || nanoseconds < MIN_TIME) throw new CelEvaluationError('timestamp overflow');
  return new CelTimestamp(nanoseconds);
}

function nonzero(value: bigint, operation: string): bigint {
  if (value === 0n) throw new CelEvaluationError(`${operation} by zero`);
  return value;
}

const ORDERED = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const NUMBERS = ['int', 'uint', 'double'];
const TYPE_IDS: Readonly<Record<string, string>> = { int: 'int64', uint: 'uint64' };

function comparisons(operator: string, id: string, holds: (order: number) => boolean): CelDeclaration[] {
  const pairs = [
    ...ORDERED.map((type) => [type, type] as const),
    ...NUMBERS.flatMap((left) => NUMBERS.filter((right) => right !== left).map((right) => [left, right] as const)),
  ];
  return pairs.map(([left, right]) => {
    const suffix = left === right ? idOf(left) : `${idOf(left)}_${idOf(right)}`;
    const compare = (a: CelValue, b: CelValue): boolean => !isNaN(a, b) && holds(celCompare(a, b));
    return [`${id}_${suffix}`, `${operator}(${left}, ${right}) bool`, compare];
  });
}

function isNaN(...values: CelValue[]): boolean {
  return values.some((value) => Number.isNaN(value));
}

function idOf(type: string): string {
  return TYPE_IDS[type] ?? type;
}

/** Joins lists; of lists whose items have keys, only new and changed items of the second are added. */
function concatenate(left: readonly CelValue[], right: readonly CelValue[]): readonly CelValue[] {
  const identity = identityOf(left);
  if (!identity) return [...left, ...right];
  const result = [...left];
  for (const item of right) {
    const index = result.findIndex((each) => isSameItem(each, item, identity));
    if (index < 0) result.push(item);
    else result[index] = item;
  }
  return withIdentity(result, identity);
}

function isSameItem(left: CelValue, right: CelValue, { kind, keys }: ListIdentity): boolean {
  if (kind === 'set' || !(left instanceof CelMap) || !(right instanceof CelMap)) return celEqual(left, right);
  return keys.every((key) => celEqual(left.get(key) ?? null, right.get(key) ?? null));
}

const arithmetic: CelDeclaration[] = [
  ['add_bytes', '_+_(bytes, bytes) bytes', (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b]))],
  ['add_double', '_+_(double, double) double', (a: number, b: number) => a + b],
  [
    'add_duration_duration',
    '_+_(duration, duration) duration',
    (a: CelDuration, b: CelDuration) => duration(a.nanoseconds + b.nanoseconds),
  ],
  [
    'add_duration_timestamp',
    '_+_(duration, timestamp) timestamp',
    (a: CelDuration, b: CelTimestamp) => time(a.nanoseconds + b.nanoseconds),
  ],
  [
    'add_timestamp_duration',
    '_+_(timestamp, duration) timestamp',
    (a: CelTimestamp, b: CelDuration) => time(a.nanoseconds + b.nanoseconds),
  ],
  ['add_int64', '_+_(int, int) int', (a: bigint, b: bigint) => int(a + b)],
  ['add_list', '_+_(list(A), list(A)) list(A)', concatenate],
  ['add_string', '_+_(string, string) string', (a: string, b: string) => a + b],
  ['add_uint64', '_+_(uint, uint) uint', (a: CelUint, b: CelUint) => uint(a.value + b.value)],
  ['subtract_double', '_-_(double, double) double', (a: number, b: number) => a - b],
  [
    'subtract_duration_duration',
    '_-_(duration, duration) duration',
    (a: CelDuration, b: CelDuration) => duration(a.nanoseconds - b.nanoseconds),
  ],
  ['subtract_int64', '_-_(int, int) int', (a: bigint, b: bigint) => int(a - b)],
  [
    'subtract_timestamp_duration',
    '_-_(timestamp, duration) timestamp',
    (a: CelTimestamp, b: CelDuration) => time(a.nanoseconds - b.nanoseconds),
  ],
  [
    'subtract_timestamp_timestamp',
    '_-_(timestamp, timestamp) duration',
    (a: CelTimestamp, b: CelTimestamp) => duration(a.nanoseconds - b.nanoseconds),
  ],
  ['subtract_uint64', '_-_(uint, uint) uint', (a: CelUint, b: CelUint) => uint(a.value - b.value)],
  ['multiply_double', '_*_(double, double) double', (a: number, b: number) => a * b],
  ['multiply_int64', '_*_(int, int) int', (a: bigint, b: bigint) => int(a * b)],
  ['multiply_uint64', '_*_(uint, uint) uint', (a: CelUint, b: CelUint) => uint(a.value * b.value)],
  ['divide_double', '_/_(double, double) double', (a: number, b: number) => a / b],
  ['divide_int64', '_/_(int, int) int', (a: bigint, b: bigint) => int(a / nonzero(b, 'division'))],
  ['divide_uint64', '_/_(uint, uint) uint', (a: CelUint, b: CelUint) => uint(a.value / nonzero(b.value, 'division'))],
  ['modulo_int64', '_%_(int, int) int', (a: bigint, b: bigint) => a % nonzero(b, 'modulus')],
  ['modulo_uint64', '_%_(uint, uint) uint', (a: CelUint, b: CelUint) => uint(a.value % nonzero(b.value, 'modulus'))],
  ['negate_double', '-_(double) double', (a: number) => -a],
  ['negate_int64', '-_(int) int', (a: bigint) => int(-a)],
];

/** The functions that the evaluation knows itself: their declarations are for the checker. */
const builtIn = (): CelValue => {
  throw new CelEvaluationError('not a function');
};

/** The operators of the language. */
export const OPERATORS: readonly CelDeclaration[] = [
  ['conditional', '_?_:_(bool, A, A) A', builtIn],
  ['logical_and', '_&&_(bool, bool) bool', builtIn],
  ['logical_or', '_||_(bool, bool) bool', builtIn],
  ['not_strictly_false', '@not_strictly_false(bool) bool', builtIn],
  ['index_list', '_[_](list(A), int) A', builtIn],
  ['index_map', '_[_](map(A, B), A) B', builtIn],
  ['optional_list_index_int', '_[_](optional(list(V)), int) optional(V)', builtIn],
  ['optional_map_index_value', '_[_](optional(map(K, V)), K) optional(V)', builtIn],
  ['list_optindex_optional_int', '_[?_](list(V), int) optional(V)', builtIn],
  ['optional_list_optindex_optional_int', '_[?_](optional(list(V)), int) optional(V)', builtIn],
  ['map_optindex_optional_value', '_[?_](map(K, V), K) optional(V)', builtIn],
  ['optional_map_optindex_optional_value', '_[?_](optional(map(K, V)), K) optional(V)', builtIn],
  ['select_optional_field', '_?._(dyn, string) optional(dyn)', builtIn],
  ['@mapInsert_key_value', "'cel.@mapInsert'(map(K, V), K, V) map(K, V)", builtIn],
  ['@mapInsert_map', "'cel.@mapInsert'(map(K, V), map(K, V)) map(K, V)", builtIn],
  ['logical_not', '!_(bool) bool', (value: boolean) => !value],
  ['equals', '_==_(A, A) bool', celEqual],
  ['not_equals', '_!=_(A, A) bool', (a: CelValue, b: CelValue) => !celEqual(a, b)],
  ...comparisons('_<_', 'less', (order) => order < 0),
  ...comparisons('_<=_', 'less_equals', (order) => order <= 0),
  ...comparisons('_>_', 'greater', (order) => order > 0),
  ...comparisons('_>=_', 'greater_equals', (order) => order >= 0),
  ...arithmetic,
  [
    'in_list',
    '@in(A, list(A)) bool',
    (item: CelValue, list: readonly CelValue[]) => list.some((each) => celEqual(each, item)),
  ],
  ['in_map', '@in(A, map(A, B)) bool', (key: CelValue, map: CelMap) => map.get(key) !== undefined],
];
