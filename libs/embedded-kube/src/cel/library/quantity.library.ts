import type { CelDeclaration } from '../checking/cel.functions.js';
import { parseQuantity, QUANTITY_RULE } from '../../resources/quantity.js';
import { CelEvaluationError } from '../values/cel.error.js';
import { type CelType, struct } from '../values/cel.type.js';
import { CelOpaque } from '../values/cel.value.js';

const ONE = 10n ** 9n;

/** The type of quantities in expressions. */
export const QUANTITY: CelType = struct('kubernetes.Quantity');

/** An amount such as `500Mi`, in billionths. */
class CelQuantity extends CelOpaque {
  override readonly type = QUANTITY;

  constructor(readonly nanos: bigint) {
    super();
  }

  override equals(other: CelQuantity): boolean {
    return this.nanos === other.nanos;
  }
}

function parse(text: string): CelQuantity | undefined {
  const value = text === '' ? undefined : parseQuantity(text);
  return value && new CelQuantity(value.nanos);
}

function quantity(text: string): CelQuantity {
  const value = parse(text);
  if (!value) throw new CelEvaluationError(QUANTITY_RULE);
  return value;
}

function order(a: CelQuantity, b: CelQuantity): bigint {
  if (a.nanos === b.nanos) return 0n;
  return a.nanos < b.nanos ? -1n : 1n;
}

function isInteger({ nanos }: CelQuantity): boolean {
  return nanos % ONE === 0n && BigInt.asIntN(64, nanos / ONE) === nanos / ONE;
}

function asInteger(value: CelQuantity): bigint {
  if (!isInteger(value)) throw new CelEvaluationError('cannot convert value to integer');
  return value.nanos / ONE;
}

const TYPE = '&kubernetes.Quantity';

/** Kubernetes' functions on quantities. */
export const QUANTITY_LIBRARY: readonly CelDeclaration[] = [
  ['string_to_quantity', `quantity(string) ${TYPE}`, quantity],
  ['is_quantity_string', 'isQuantity(string) bool', (text: string) => parse(text) !== undefined],
  ['quantity_sign', `sign(${TYPE}) int`, (value: CelQuantity) => order(value, new CelQuantity(0n))],
  [
    'quantity_is_greater_than',
    `${TYPE}.isGreaterThan(${TYPE}) bool`,
    (a: CelQuantity, b: CelQuantity) => a.nanos > b.nanos,
  ],
  ['quantity_is_less_than', `${TYPE}.isLessThan(${TYPE}) bool`, (a: CelQuantity, b: CelQuantity) => a.nanos < b.nanos],
  ['quantity_compare_to', `${TYPE}.compareTo(${TYPE}) int`, order],
  [
    'quantity_get_float',
    `${TYPE}.asApproximateFloat() double`,
    ({ nanos }: CelQuantity) => Number(nanos) / Number(ONE),
  ],
  ['quantity_get_int', `${TYPE}.asInteger() int`, asInteger],
  ['quantity_is_integer', `${TYPE}.isInteger() bool`, isInteger],
  [
    'quantity_add',
    `${TYPE}.add(${TYPE}) ${TYPE}`,
    (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.nanos + b.nanos),
  ],
  ['quantity_add_int', `${TYPE}.add(int) ${TYPE}`, (a: CelQuantity, b: bigint) => new CelQuantity(a.nanos + b * ONE)],
  [
    'quantity_sub',
    `${TYPE}.sub(${TYPE}) ${TYPE}`,
    (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.nanos - b.nanos),
  ],
  ['quantity_sub_int', `${TYPE}.sub(int) ${TYPE}`, (a: CelQuantity, b: bigint) => new CelQuantity(a.nanos - b * ONE)],
];
