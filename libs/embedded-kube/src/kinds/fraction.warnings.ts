import { quoteGo } from '../common/go-quote.js';
import { mapping } from '../common/json.values.js';
import { canonicalQuantity } from '../resources/quantity.js';

/** Warns of amounts in bytes that are no whole numbers. */
export function warnOfFractions(amounts: unknown, path: string, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const amount = mapping(amounts)[name];
    const text = amount === undefined ? '' : canonicalQuantity(amount);
    if (!/[mnu]$/.test(text)) return [];
    return [`${path}[${name}]: fractional byte value ${quoteGo(text)} is invalid, must be an integer`];
  });
}
