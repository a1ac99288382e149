import { badRequest } from '../errors/status.errors.js';

/** Units in milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+\.?\d*|\.\d+)([^\d.]*)/y;

/**
 * Reads the `timeout` of a query, as `kubectl --request-timeout` sends it: `90s`, `1m30s`, `500ms`.
 *
 * @returns milliseconds; `undefined` if there is none
 * @throws StatusError 400
 */
export function requestTimeout(query: URLSearchParams): number | undefined {
  const text = query.get('timeout');
  if (!text) return undefined;
  try {
    return parseDuration(text);
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${(error as Error).message}`);
  }
}

/** Reads a duration in the notation of Go. @throws Error */
function parseDuration(text: string): number {
  const quoted = JSON.stringify(text);
  const [, sign, amount = ''] = /^([-+]?)(.*)$/.exec(text)!;
  if (amount === '0') return 0;
  let milliseconds = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < amount.length || amount === '') {
    const part = PART.exec(amount);
    if (!part) throw new Error(`time: invalid duration ${quoted}`);
    const [, number, unit = ''] = part;
    if (unit === '') throw new Error(`time: missing unit in duration ${quoted}`);
    if (!Object.hasOwn(UNITS, unit)) {
      throw new Error(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    }
    milliseconds += Number(number) * UNITS[unit]!;
  }
  return sign === '-' ? -milliseconds : milliseconds;
}
