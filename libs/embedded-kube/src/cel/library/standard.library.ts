import { parseGoBool } from '../../common/go-bool.js';
import { compilePattern } from '../../common/regular.expression.js';
import type { CelDeclaration } from '../checking/cel.functions.js';
import { codePoints } from '../evaluation/call.cost.js';
import { CelEvaluationError } from '../values/cel.error.js';
import { localTime, readDuration, readTimestamp, writeDuration, writeTimestamp } from '../values/cel.time.js';
import {
  CelDuration,
  type CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from '../values/cel.value.js';
import { typeOfValue } from '../values/value.type.js';
import { int, time, uint } from './operator.library.js';

function fail(message: string): never {
  throw new CelEvaluationError(message);
}

function stringToInt(text: string): bigint {
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  if (value === undefined || BigInt.asIntN(64, value) !== value) fail("type conversion error from 'string' to 'int'");
  return value!;
}

function doubleToInt(value: number): bigint {
  if (!(Math.abs(value) < 2 ** 63)) fail('integer overflow');
  return BigInt(Math.trunc(value));
}

function stringToDouble(text: string): number {
  const special = /^[+-]?(?:inf|infinity|nan)$/i.exec(text);
  if (special) return /nan/i.test(text) ? NaN : text.startsWith('-') ? -Infinity : Infinity;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text))
    fail("type conversion error from 'string' to 'double'");
  return Number(text);
}

/** Writes a number as Go's `%g` does with the fewest digits. */
export function writeDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 21) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

function stringToBool(text: string): boolean {
  return parseGoBool(text) ?? fail("type conversion error from 'string' to 'bool'");
}

const conversions: CelDeclaration[] = [
  ['bool_to_bool', 'bool(bool) bool', (value: boolean) => value],
  ['string_to_bool', 'bool(string) bool', stringToBool],
  ['bytes_to_bytes', 'bytes(bytes) bytes', (value: Uint8Array) => value],
  ['string_to_bytes', 'bytes(string) bytes', (value: string) => new TextEncoder().encode(value)],
  ['double_to_double', 'double(double) double', (value: number) => value],
  ['int64_to_double', 'double(int) double', Number],
  ['string_to_double', 'double(string) double', stringToDouble],
  ['uint64_to_double', 'double(uint) double', ({ value }: CelUint) => Number(value)],
  ['duration_to_duration', 'duration(duration) duration', (value: CelDuration) => value],
  ['int64_to_duration', 'duration(int) duration', (value: bigint) => new CelDuration(value * 1_000_000_000n)],
  [
    'string_to_duration',
    'duration(string) duration',
    (text: string) => readDuration(text) ?? fail("type conversion error from 'string' to 'google.protobuf.Duration'"),
  ],
  ['to_dyn', 'dyn(A) dyn', (value: CelValue) => value],
  ['int64_to_int64', 'int(int) int', (value: bigint) => value],
  ['double_to_int64', 'int(double) int', doubleToInt],
  ['duration_to_int64', 'int(duration) int', ({ nanoseconds }: CelDuration) => nanoseconds],
  ['string_to_int64', 'int(string) int', stringToInt],
  [
    'timestamp_to_int64',
    'int(timestamp) int',
    ({ nanoseconds }: CelTimestamp) => floorDiv(nanoseconds, 1_000_000_000n),
  ],
  ['uint64_to_int64', 'int(uint) int', ({ value }: CelUint) => int(value)],
  ['string_to_string', 'string(string) string', (value: string) => value],
  ['bool_to_string', 'string(bool) string', String],
  ['bytes_to_string', 'string(bytes) string', bytesToString],
  ['double_to_string', 'string(double) string', writeDouble],
  ['duration_to_string', 'string(duration) string', writeDuration],
  ['int64_to_string', 'string(int) string', String],
  ['timestamp_to_string', 'string(timestamp) string', writeTimestamp],
  ['uint64_to_string', 'string(uint) string', ({ value }: CelUint) => String(value)],
  ['timestamp_to_timestamp', 'timestamp(timestamp) timestamp', (value: CelTimestamp) => value],
  ['int64_to_timestamp', 'timestamp(int) timestamp', (value: bigint) => time(value * 1_000_000_000n)],
  [
    'string_to_timestamp',
    'timestamp(string) timestamp',
    (text: string) => readTimestamp(text) ?? fail("type conversion error from 'string' to 'google.protobuf.Timestamp'"),
  ],
  ['uint64_to_uint64', 'uint(uint) uint', (value: CelUint) => value],
  ['double_to_uint64', 'uint(double) uint', (value: number) => uint(doubleToInt(value))],
  ['int64_to_uint64', 'uint(int) uint', (value: bigint) => uint(value)],
  ['string_to_uint64', 'uint(string) uint', (text: string) => uint(stringToInt(text))],
  ['type', 'type(A) type(A)', (value: CelValue) => new CelTypeValue(typeOfValue(value))],
];

function bytesToString(value: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return fail('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function floorDiv(value: bigint, divisor: bigint): bigint {
  const result = value / divisor;
  return value % divisor < 0n ? result - 1n : result;
}

const strings: CelDeclaration[] = [
  ['contains_string', 'string.contains(string) bool', (text: string, part: string) => text.includes(part)],
  ['ends_with_string', 'string.endsWith(string) bool', (text: string, end: string) => text.endsWith(end)],
  ['starts_with_string', 'string.startsWith(string) bool', (text: string, start: string) => text.startsWith(start)],
  ['matches', 'matches(string, string) bool', matches],
  ['matches_string', 'string.matches(string) bool', matches],
];

function matches(text: string, pattern: string): boolean {
  try {
    return compilePattern(pattern).test(text);
  } catch (error) {
    return fail((error as Error).message);
  }
}

const sizes: CelDeclaration[] = (
  [
    ['bytes', 'bytes', (value: Uint8Array) => BigInt(value.length)],
    ['list', 'list(A)', (value: readonly CelValue[]) => BigInt(value.length)],
    ['map', 'map(A, B)', (value: CelMap) => BigInt(value.size)],
    ['string', 'string', (value: string) => BigInt(codePoints(value))],
  ] as const
).flatMap(([id, type, size]): CelDeclaration[] => [
  [`size_${id}`, `size(${type}) int`, size],
  [`${id}_size`, `${type}.size() int`, size],
]);

const DATE_PARTS: readonly (readonly [name: string, id: string, read: (date: Date) => number])[] = [
  ['getFullYear', 'year', (date) => date.getUTCFullYear()],
  ['getMonth', 'month', (date) => date.getUTCMonth()],
  [
    'getDayOfYear',
    'day_of_year',
    (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000),
  ],
  ['getDayOfMonth', 'day_of_month', (date) => date.getUTCDate() - 1],
  ['getDate', 'day_of_month_1_based', (date) => date.getUTCDate()],
  ['getDayOfWeek', 'day_of_week', (date) => date.getUTCDay()],
  ['getHours', 'hours', (date) => date.getUTCHours()],
  ['getMinutes', 'minutes', (date) => date.getUTCMinutes()],
  ['getSeconds', 'seconds', (date) => date.getUTCSeconds()],
  ['getMilliseconds', 'milliseconds', (date) => date.getUTCMilliseconds()],
];

const DURATION_PARTS = { getHours: 3600n * 1000n, getMinutes: 60_000n, getSeconds: 1000n, getMilliseconds: 1n };

const times: CelDeclaration[] = [
  ...DATE_PARTS.flatMap(([name, id, read]): CelDeclaration[] => [
    [`timestamp_to_${id}`, `timestamp.${name}() int`, (value: CelTimestamp) => BigInt(read(localTime(value, 'UTC')))],
    [
      `timestamp_to_${id}_with_tz`,
      `timestamp.${name}(string) int`,
      (value: CelTimestamp, zone: string) => BigInt(read(localTime(value, zone))),
    ],
  ]),
  ...Object.entries(DURATION_PARTS).map(([name, milliseconds]): CelDeclaration => {
    const read = ({ nanoseconds }: CelDuration): bigint => {
      const total = nanoseconds / (milliseconds * 1_000_000n);
      return name === 'getMilliseconds' ? total % 1000n : total;
    };
    return [`duration_to_${name}`, `duration.${name}() int`, read];
  }),
];

const optionals: CelDeclaration[] = [
  ['optional_of', "'optional.of'(V) optional(V)", (value: CelValue) => new CelOptional(value)],
  [
    'optional_ofNonZeroValue',
    "'optional.ofNonZeroValue'(V) optional(V)",
    (value: CelValue) => (isZero(value) ? CelOptional.NONE : new CelOptional(value)),
  ],
  ['optional_none', "'optional.none'() optional(V)", () => CelOptional.NONE],
  ['optional_value', 'optional(V).value() V', ({ value }: CelOptional) => value ?? absent(value)],
  ['optional_hasValue', 'optional(V).hasValue() bool', ({ value }: CelOptional) => value !== undefined],
  [
    'optional_or_optional',
    'optional(V).or(optional(V)) optional(V)',
    (a: CelOptional, b: CelOptional) => (a.value === undefined ? b : a),
  ],
  [
    'optional_orValue_value',
    'optional(V).orValue(V) V',
    (a: CelOptional, b: CelValue) => (a.value === undefined ? b : a.value),
  ],
  ['optional_unwrap', "'optional.unwrap'(list(optional(T))) list(T)", unwrap],
  ['optional_unwrapOpt', 'list(optional(T)).unwrapOpt() list(T)', unwrap],
];

function absent(value: null | undefined): null {
  return value === null ? null : fail('optional.none() dereference');
}

function unwrap(list: readonly CelOptional[]): CelValue[] {
  return list.flatMap(({ value }) => (value === undefined ? [] : [value]));
}

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDuration) return value.nanoseconds === 0n;
  return typeof value === 'object' && 'keys' in value && (value as CelMap).size === 0;
}

/** The functions that every environment of CEL has. */
export const STANDARD_LIBRARY: readonly CelDeclaration[] = [
  ...conversions,
  ...strings,
  ...sizes,
  ...times,
  ...optionals,
];
