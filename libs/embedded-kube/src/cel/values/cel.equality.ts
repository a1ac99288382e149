import { noSuchOverload } from './cel.error.js';
import {
  CelDuration,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  identityOf,
  type CelValue,
} from './cel.value.js';

/** Compares two values as `==` does: values of different types differ, but numbers of all types are compared by their values. */
export function celEqual(left: CelValue, right: CelValue): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  const numbers = numericPair(left, right);
  // Integers and doubles are to be compared by their mathematical value, as `==` does with bigints.
  // oxlint-disable-next-line eqeqeq
  if (numbers) return numbers[0] == numbers[1];
  if (Array.isArray(left)) return Array.isArray(right) && equalLists(left, right);
  if (left instanceof CelMap) return right instanceof CelMap && equalMaps(left, right);
  return equalLeaves(left, right);
}

function equalLeaves(left: CelValue, right: CelValue): boolean {
  if (left instanceof Uint8Array) return right instanceof Uint8Array && Buffer.compare(left, right) === 0;
  if (left instanceof CelDuration) return right instanceof CelDuration && left.nanoseconds === right.nanoseconds;
  if (left instanceof CelTimestamp) return right instanceof CelTimestamp && left.nanoseconds === right.nanoseconds;
  if (left instanceof CelTypeValue) return right instanceof CelTypeValue && left.type.name === right.type.name;
  if (left instanceof CelOptional) return right instanceof CelOptional && equalOptionals(left, right);
  return left instanceof CelOpaque && right instanceof CelOpaque && left.type === right.type && left.equals(right);
}

function equalOptionals({ value: left }: CelOptional, { value: right }: CelOptional): boolean {
  if (left === undefined || right === undefined) return left === right;
  return celEqual(left, right);
}

function equalLists(left: readonly CelValue[], right: readonly CelValue[]): boolean {
  if (left.length !== right.length) return false;
  if (!identityOf(left)) return left.every((item, index) => celEqual(item, right[index]!));
  // The items of a set have no order.
  return left.every((item) => right.some((other) => celEqual(item, other)));
}

function equalMaps(left: CelMap, right: CelMap): boolean {
  if (left.size !== right.size) return false;
  for (const key of left.keys()) {
    const other = right.get(key);
    if (other === undefined || !celEqual(left.get(key)!, other)) return false;
  }
  return true;
}

/** Compares two values by order. @throws CelEvaluationError if they have none */
export function celCompare(left: CelValue, right: CelValue): number {
  const pair = numericPair(left, right) ?? orderedPair(left, right);
  if (!pair) throw noSuchOverload();
  const [a, b] = pair;
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

type Ordered = readonly [number | bigint, number | bigint];

function numericPair(left: CelValue, right: CelValue): Ordered | undefined {
  const a = numeric(left);
  const b = numeric(right);
  return a === undefined || b === undefined ? undefined : [a, b];
}

function numeric(value: CelValue): number | bigint | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof CelUint ? value.value : undefined;
}

function orderedPair(left: CelValue, right: CelValue): Ordered | undefined {
  if (typeof left === 'string' && typeof right === 'string') return [compareText(left, right), 0];
  if (typeof left === 'boolean' && typeof right === 'boolean') return [Number(left), Number(right)];
  if (left instanceof Uint8Array && right instanceof Uint8Array) return [Buffer.compare(left, right), 0];
  const sameTimes =
    (left instanceof CelDuration && right instanceof CelDuration) ||
    (left instanceof CelTimestamp && right instanceof CelTimestamp);
  return sameTimes ? [left.nanoseconds, right.nanoseconds] : undefined;
}

/** Orders by code points, not by code units. */
function compareText(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
