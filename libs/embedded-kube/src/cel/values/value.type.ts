import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from './cel.type.js';
import {
  CelDuration,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from './cel.value.js';

const LIST = listOf(DYN);
const MAP = mapOf(DYN, DYN);
const OPTIONAL = optionalOf(DYN);
const TYPE = typeOf(DYN);

/** Returns the type that a value has while an expression is evaluated. */
export function typeOfValue(value: CelValue): CelType {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'bigint':
      return INT;
    case 'number':
      return DOUBLE;
    case 'boolean':
      return BOOL;
    default:
      return typeOfObject(value);
  }
}

function typeOfObject(value: Exclude<CelValue, string | bigint | number | boolean>): CelType {
  if (value === null) return NULL;
  if (Array.isArray(value)) return LIST;
  if (value instanceof CelMap) return value.structType ?? MAP;
  if (value instanceof CelOpaque) return value.type;
  if (value instanceof Uint8Array) return BYTES;
  if (value instanceof CelUint) return UINT;
  if (value instanceof CelDuration) return DURATION;
  if (value instanceof CelTimestamp) return TIMESTAMP;
  return value instanceof CelOptional ? OPTIONAL : TYPE;
}

/** Checks that a value can be the argument of a signature. */
export function fitsType(value: CelValue, type: CelType): boolean {
  if (type.kind === 'dyn' || type.kind === 'parameter') return true;
  const actual = typeOfValue(value);
  // An object from the cluster is a map as well, where its fields are not declared.
  if (type.kind === 'map') return value instanceof CelMap;
  if (actual.kind === 'type') return type.kind === 'type' && value instanceof CelTypeValue;
  if (actual.kind !== type.kind) return false;
  if (type.kind === 'list') return (value as readonly CelValue[]).every((item) => fitsType(item, type.parameters[0]!));
  return type.kind === 'opaque' || type.kind === 'struct' ? actual.name === type.name : true;
}
