import { isMapping } from './json.values.js';

/** A whole number that is written as a fraction, `1.0` or `1e3`: Go reads no integer from it, while `JSON.parse` forgets the difference. */
export class WrittenNumber {
  constructor(
    /** The number as it is written. */
    readonly text: string,
  ) {}
}

/** The form of numbers with a fraction or an exponent; also matches inside of texts. */
const FRACTION = /\d(?:\.\d|[eE][-+]?\d)/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
const MARK = '\u0000number';

/**
 * Parses a valid text of JSON, with a {@link WrittenNumber} in the place of each whole number that is written as a fraction.
 *
 * @returns `undefined` if there are none
 */
export function parseWrittenNumbers(text: string): unknown {
  if (!FRACTION.test(text)) return undefined;
  let isFound = false;
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || !FRACTION.test(token) || !Number.isInteger(Number(token))) return token;
    isFound = true;
    return JSON.stringify({ [MARK]: token });
  });
  return isFound ? (JSON.parse(marked, (_, value: unknown) => revived(value)) as unknown) : undefined;
}

function revived(value: unknown): unknown {
  const number = isMapping(value) ? value[MARK] : undefined;
  return typeof number === 'string' ? new WrittenNumber(number) : value;
}
