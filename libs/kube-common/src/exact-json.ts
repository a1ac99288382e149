/**
 * JSON whose integers stay exact.
 *
 * Kubernetes allows integers of 64 bits (`format: int64`), but JavaScript's numbers hold only 53: `JSON.parse('9007199254740993')` is
 * `9007199254740992`. Rounded, an id that no client has changed would come back to the cluster as another one, Python Kopf would see a
 * change that never happened, and two neighbours would be equal. So:
 *
 * - An integer of 64 bits that is not safe (`Number.isSafeInteger`) is read as a `bigint`, the language's own exact integer. Its size alone
 *   decides, and not whether the nearest number happens to be written with the same digits, so that the type can be predicted.
 * - All other numbers are read as numbers. That loses nothing: an API server keeps them as float64, and writes them exactly as JavaScript
 *   does (`1e+21`, `1e-7`, `0.000001`, and integers beyond 64 bits as `18446744073709552000`).
 * - When written, a `bigint` is its digits. `JSON.stringify` throws on it, or makes a text of it where an application has patched
 * `BigInt.prototype.toJSON`; so whatever goes to the cluster, into its annotations, or into the log is written here.
 *
 * Nearly no object has such integers, and the others must not pay for them: `JSON.parse` does their work, and a search for 16 digits in a
 * row looks at one character of 16 (about 5 % of the parsing); `JSON.stringify` does it, too, as it refuses a `bigint` by itself.
 */

/** Integers that are not safe have at least so many digits. */
const LONG = 16;

/**
 * The characters that can stand before a number: the sign, punctuation, or white space. Matches inside of texts do no
 * harm.
 */
const BEFORE_NUMBERS = '-:,[ \n\r\t';

const WHOLE_NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The longest integer of 64 bits: `-9223372036854775808`. */
const LONGEST_INT64 = 20;

/**
 * Parses JSON as `JSON.parse` does, but integers of 64 bits that numbers cannot hold exactly become bigints.
 *
 * @throws SyntaxError if the text is not JSON.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasLongInteger(text) ? readExactly(text) : value;
}

/**
 * Makes JSON of a value as `JSON.stringify` does, but bigints are written as integers.
 *
 * @returns `undefined` for what JSON cannot hold, as `JSON.stringify` does, in spite of the type.
 * @throws TypeError if the value refers to its own container.
 */
export function stringifyJson(value: unknown): string {
  // Applications patch it; then JSON.stringify would silently make texts of the integers.
  if ('toJSON' in BigInt.prototype) return write(value, '', []) as string;
  try {
    return JSON.stringify(value);
  } catch {
    return write(value, '', []) as string;
  }
}

/**
 * Whether a text of JSON can have integers that `JSON.parse` would round: whether there are 16 digits in a row.
 *
 * It looks at each 16th character only, as one of them is in any such row.
 */
export function hasLongInteger(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (start > 0 && isDigit(text, start - 1)) start--;
    let end = at + 1;
    while (end < text.length && isDigit(text, end)) end++;
    if (end - start >= LONG && (start === 0 || BEFORE_NUMBERS.includes(text[start - 1]))) return true;
    at += LONG * Math.floor((end - 1 - at) / LONG);
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** A map or a list that is not at its end yet; maps wait for a key or for its value. */
interface OpenContainer {
  readonly value: object;
  key?: string;
}

/** Reads a text that is known to be JSON, without recursion, as texts can be nested more deeply than calls. */
function readExactly(text: string): unknown {
  let current: OpenContainer = { value: [] };
  const root = current.value as unknown[];
  const outer: OpenContainer[] = [];
  let at = 0;
  while (at < text.length) {
    switch (text[at]) {
      case '{':
      case '[': {
        const value = text[at] === '{' ? {} : [];
        put(current, value);
        outer.push(current);
        current = { value };
        at++;
        break;
      }
      case '}':
      case ']':
        current = outer.pop()!;
        at++;
        break;
      case '"': {
        const end = endOfText(text, at);
        const content = text.slice(at + 1, end - 1);
        const value = content.includes('\\') ? (JSON.parse(text.slice(at, end)) as string) : content;
        if (current.key === undefined && !Array.isArray(current.value)) current.key = value;
        else put(current, value);
        at = end;
        break;
      }
      case 't':
        put(current, true);
        at += 4;
        break;
      case 'f':
        put(current, false);
        at += 5;
        break;
      case 'n':
        put(current, null);
        at += 4;
        break;
      case ',':
      case ':':
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        at++;
        break;
      default: {
        WHOLE_NUMBER.lastIndex = at;
        const [digits] = WHOLE_NUMBER.exec(text)!;
        put(current, toNumber(digits));
        at += digits.length;
      }
    }
  }
  return root[0];
}

function put(container: OpenContainer, value: unknown): void {
  const { value: holder, key } = container;
  if (Array.isArray(holder)) {
    holder.push(value);
    return;
  }
  // Assigned, this one would replace the prototype.
  if (key === '__proto__') {
    Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
  } else (holder as Record<string, unknown>)[key!] = value;
  container.key = undefined;
}

/** Finds where a text ends, after its closing quote. */
function endOfText(text: string, start: number): number {
  let end = start;
  let escapes: number;
  do {
    end = text.indexOf('"', end + 1);
    escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes++;
  } while (escapes % 2 === 1);
  return end + 1;
}

function toNumber(digits: string): number | bigint {
  const number = Number(digits);
  if (!Number.isInteger(number) || Number.isSafeInteger(number) || digits.length > LONGEST_INT64) return number;
  if (/[.eE]/.test(digits)) return number;
  const integer = BigInt(digits);
  return BigInt.asIntN(64, integer) === integer ? integer : number;
}

function write(value: unknown, key: string, ancestors: object[]): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (ancestors.includes(value)) throw new TypeError('Converting circular structure to JSON');
  ancestors.push(value);
  const text = writeObject(value, key, ancestors);
  ancestors.pop();
  return text;
}

function writeObject(value: object, key: string, ancestors: object[]): string | undefined {
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return write((value.toJSON as (key: string) => unknown)(key), key, ancestors);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => write(item, `${index}`, ancestors) ?? 'null').join(',')}]`;
  }
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return JSON.stringify(value);
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const text = write(member, name, ancestors);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
}
