import type { CelDeclaration } from '../checking/cel.functions.js';
import { CelEvaluationError } from '../values/cel.error.js';
import { type CelType, struct } from '../values/cel.type.js';
import { CelOpaque } from '../values/cel.value.js';

const FORM = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d+))?$/;
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const SCALE = 9;
const ONE = 10n ** BigInt(SCALE);

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

const INVALID = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function parse(text: string): CelQuantity | undefined {
  const match = FORM.exec(text);
  if (!match) return undefined;
  const [, sign, digits, suffix = '', exponent] = match;
  const [whole, fraction = ''] = digits!.split('.');
  const power = exponent === undefined ? (DECIMAL[suffix] ?? 0) : Number(exponent);
  if (Math.abs(power) > 100) return undefined;
  const factor = suffix.endsWith('i') ? 1024n ** BigInt(BINARY.indexOf(suffix) + 1) : 1n;
  const nanos = scaled(BigInt(`${whole}${fraction}`) * factor, power - fraction.length + SCALE);
  return new CelQuantity(sign === '-' ? -nanos : nanos);
}

/** Multiplies by a power of ten, rounding up. */
function scaled(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (value + divisor - 1n) / divisor;
}

function quantity(text: string): CelQuantity {
  const value = parse(text);
  if (!value) throw new CelEvaluationError(INVALID);
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
  ['quantity_sign', `${TYPE}.sign() int`, (value: CelQuantity) => order(value, new CelQuantity(0n))],
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
