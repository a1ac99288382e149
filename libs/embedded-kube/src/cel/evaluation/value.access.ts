import { CelEvaluationError, noSuchOverload } from '../values/cel.error.js';
import { CelMap, CelOptional, CelUint, type CelValue } from '../values/cel.value.js';

/** Reads a field. @throws CelEvaluationError if there is none */
export function selectField(value: CelValue, field: string): CelValue {
  if (value instanceof CelOptional) return optionalIndex(value, field);
  if (!(value instanceof CelMap)) throw Array.isArray(value) ? noSuchOverload() : noSuchKey(field);
  const member = value.get(field);
  if (member === undefined) throw noSuchKey(field);
  return member;
}

/** Checks whether a field is there. @throws CelEvaluationError if the value can have none */
export function presentField(value: CelValue, field: string): boolean {
  if (value instanceof CelOptional) return value.value !== undefined && presentField(value.value, field);
  if (!(value instanceof CelMap)) throw noSuchOverload();
  return value.get(field) !== undefined;
}

/** Reads an item or a member. @throws CelEvaluationError if there is none */
export function indexValue(value: CelValue, key: CelValue): CelValue {
  if (value instanceof CelOptional) return optionalIndex(value, key);
  if (Array.isArray(value)) {
    const index = listIndex(key);
    const item = (value as readonly CelValue[])[index];
    if (item === undefined) throw new CelEvaluationError(`index out of bounds: ${index}`);
    return item;
  }
  if (!(value instanceof CelMap)) throw noSuchOverload();
  const member = value.get(key);
  if (member === undefined) throw noSuchKey(key);
  return member;
}

/** Reads an item or a member that may be absent. */
export function optionalIndex(value: CelValue, key: CelValue): CelValue {
  if (value instanceof CelOptional) return value.value === undefined ? value : optionalIndex(value.value, key);
  const found = Array.isArray(value) ? (value as readonly CelValue[])[listIndex(key)] : memberOf(value, key);
  return found === undefined ? CelOptional.NONE : new CelOptional(found);
}

function memberOf(value: CelValue, key: CelValue): CelValue | undefined {
  if (!(value instanceof CelMap)) throw noSuchOverload();
  return value.get(key);
}

function listIndex(key: CelValue): number {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof CelUint) return Number(key.value);
  if (typeof key === 'number' && Number.isInteger(key)) return key;
  throw new CelEvaluationError(`unsupported index type '${typeof key}' in list`);
}

function noSuchKey(key: CelValue): CelEvaluationError {
  const shown = key instanceof CelUint ? key.value : key;
  return new CelEvaluationError(`no such key: ${String(shown)}`);
}
