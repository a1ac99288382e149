import { GO_ESCAPES } from '../../common/go-quote.js';
import type { CelDeclaration } from '../checking/cel.functions.js';
import { codePoints } from '../evaluation/call.cost.js';
import { CelCostError, CelEvaluationError } from '../values/cel.error.js';
import type { CelValue } from '../values/cel.value.js';
import { formatText } from './string.format.js';

function at(characters: readonly string[], index: bigint): number {
  if (index < 0n || index > BigInt(characters.length)) throw new CelEvaluationError(`index out of range: ${index}`);
  return Number(index);
}

function indexOf(text: string, part: string, from = 0n): bigint {
  const characters = [...text];
  const start = at(characters, from);
  const rest = characters.slice(start).join('');
  const found = rest.indexOf(part);
  return found < 0 ? -1n : BigInt(start + codePoints(rest.slice(0, found)));
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const characters = [...text];
  const wanted = [...part];
  let index = from === undefined ? characters.length : at(characters, from);
  for (index = Math.min(index, characters.length - wanted.length); index >= 0; index -= 1) {
    if (wanted.every((character, offset) => characters[index + offset] === character)) return BigInt(index);
  }
  return -1n;
}

function substring(text: string, from: bigint, to?: bigint): string {
  const characters = [...text];
  const start = at(characters, from);
  const end = to === undefined ? characters.length : at(characters, to);
  if (start > end) throw new CelEvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  return characters.slice(start, end).join('');
}

/** The length from which on replacing in a text costs more than a whole evaluation may. */
const LONGEST = 5_000_000;

/** Replaces the first occurrences, all if the number is negative; an empty text stands before each character. */
function replace(text: string, old: string, next: string, count: bigint): string {
  if (count === 0n) return text;
  // The other functions make texts as long as what they read at most; this one, used again and again, multiplies them.
  const found = old === '' ? codePoints(text) + 1 : occurrences(text, old);
  const replaced = count < 0n ? found : Math.min(Number(count), found);
  if (text.length + replaced * (next.length - old.length) > LONGEST) throw new CelCostError();
  if (replaced === found && old !== '') return text.replaceAll(old, () => next);
  const parts = old === '' ? ['', ...text, ''] : text.split(old);
  const rest = parts.slice(replaced).join(old);
  return [...parts.slice(0, replaced), rest].join(next);
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let from = text.indexOf(part); from >= 0; from = text.indexOf(part, from + part.length)) count += 1;
  return count;
}

function split(text: string, separator: string, count = -1n): string[] {
  if (count === 0n) return [];
  const parts = separator === '' ? [...text] : text.split(separator);
  if (count < 0n || BigInt(parts.length) <= count) return parts;
  const kept = Number(count) - 1;
  return [...parts.slice(0, kept), parts.slice(kept).join(separator)];
}

function mapAscii(form: RegExp, convert: (text: string) => string): (text: string) => string {
  return (text) => text.replace(form, convert);
}

const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const TRIMMED = new RegExp(`^${SPACE}|${SPACE}$`, 'g');

function quote(text: string): string {
  return `"${[...text].map((character) => GO_ESCAPES[character] ?? character).join('')}"`;
}

/** The functions on strings that CEL has as an extension. */
export const STRING_LIBRARY: readonly CelDeclaration[] = [
  [
    'string_char_at_int',
    'string.charAt(int) string',
    (text: string, index: bigint) => [...text][at([...text], index)] ?? '',
  ],
  ['string_index_of_string', 'string.indexOf(string) int', indexOf],
  ['string_index_of_string_int', 'string.indexOf(string, int) int', indexOf],
  ['string_last_index_of_string', 'string.lastIndexOf(string) int', lastIndexOf],
  ['string_last_index_of_string_int', 'string.lastIndexOf(string, int) int', lastIndexOf],
  ['string_lower_ascii', 'string.lowerAscii() string', mapAscii(/[A-Z]+/g, (text) => text.toLowerCase())],
  ['string_upper_ascii', 'string.upperAscii() string', mapAscii(/[a-z]+/g, (text) => text.toUpperCase())],
  [
    'string_replace_string_string',
    'string.replace(string, string) string',
    (text: string, old: string, next: string) => replace(text, old, next, -1n),
  ],
  ['string_replace_string_string_int', 'string.replace(string, string, int) string', replace],
  ['string_split_string', 'string.split(string) list(string)', split],
  ['string_split_string_int', 'string.split(string, int) list(string)', split],
  ['string_substring_int', 'string.substring(int) string', substring],
  ['string_substring_int_int', 'string.substring(int, int) string', substring],
  ['string_trim', 'string.trim() string', (text: string) => text.replace(TRIMMED, '')],
  ['list_join', 'list(string).join() string', (list: readonly string[]) => list.join('')],
  [
    'list_join_string',
    'list(string).join(string) string',
    (list: readonly string[], separator: string) => list.join(separator),
  ],
  ['strings_quote', "'strings.quote'(string) string", quote],
  [
    'string_format',
    'string.format(list(dyn)) string',
    (text: string, args: readonly CelValue[]) => formatText(text, args),
  ],
];
