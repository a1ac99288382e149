const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const NANO = 9;
/** The largest exponent that is written out; the real server takes any, but such quantities have no use. */
const MAX_EXPONENT = 100;

/** The form of quantities, in the real server's words for a text that is none. */
export const QUANTITY_RULE =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** An amount without rounding, and the family of suffixes in which it is written. */
export interface Quantity {
  readonly nanos: bigint;
  readonly form: 'binary' | 'decimal' | 'exponential';
}

/** Reads a quantity; `undefined` for a text that is none. An absent one is 0. */
export function parseQuantity(quantity: unknown): Quantity | undefined {
  if (quantity === undefined || quantity === null || quantity === '') return { nanos: 0n, form: 'decimal' };
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d+))?$/.exec(String(quantity));
  if (!match || !(match[2] || match[3]) || Math.abs(Number(match[5] ?? 0)) > MAX_EXPONENT) return undefined;
  const [, sign, whole, fraction = '', suffix = '', exponent] = match;
  const isBinary = suffix.endsWith('i');
  const scale = exponent === undefined ? (isBinary ? 0 : 3 * (DECIMAL.indexOf(suffix) - 3)) : Number(exponent);
  const factor = isBinary ? 1024n ** BigInt(BINARY.indexOf(suffix)) : 1n;
  const nanos = scaled(BigInt(whole + fraction) * factor, scale - fraction.length + NANO);
  const form = isBinary ? 'binary' : exponent === undefined ? 'decimal' : 'exponential';
  return { nanos: sign === '-' ? -nanos : nanos, form };
}

/** Writes a quantity in its canonical form. */
export function formatQuantity({ nanos, form }: Quantity): string {
  const size = nanos < 0n ? -nanos : nanos;
  const isWhole = size % 10n ** 9n === 0n;
  const amount = form === 'binary' && isWhole ? binary(size / 10n ** 9n) : decimal(size, form === 'exponential');
  return (nanos < 0n ? '-' : '') + amount;
}

/**
 * Writes a quantity in its canonical form, as the real server does: `1024Mi` as `1Gi`, `0.5` as `500m`, `1000k` as `1M`. A text that is no
 * quantity is returned as it is; for an absent one, `0` is.
 */
export function canonicalQuantity(quantity: unknown): string {
  const parsed = parseQuantity(quantity);
  return parsed ? formatQuantity(parsed) : String(quantity);
}

/** Multiplies by a power of ten, rounding up, as quantities never become smaller than asked for. */
function scaled(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (value + divisor - 1n) / divisor;
}

function binary(value: bigint): string {
  let index = 0;
  while (value && value % 1024n === 0n && index < BINARY.length - 1) {
    value /= 1024n;
    index++;
  }
  return `${value}${BINARY[index]}`;
}

function decimal(nanos: bigint, exponential: boolean): string {
  if (!nanos) return '0';
  let index = 0;
  while (nanos % 1000n === 0n && index < DECIMAL.length - 1) {
    nanos /= 1000n;
    index++;
  }
  if (!exponential) return `${nanos}${DECIMAL[index]}`;
  return index === 3 ? `${nanos}` : `${nanos}e${3 * (index - 3)}`;
}

/** Compares two quantities (`1Gi`, `500m`) by their difference; one that is absent or cannot be read counts as 0. */
export function compareQuantities(a: unknown, b: unknown): number {
  return Number(nanosOf(a) - nanosOf(b)) / 10 ** NANO;
}

function nanosOf(quantity: unknown): bigint {
  return parseQuantity(quantity)?.nanos ?? 0n;
}
