import { needsQuotes } from '../common/yaml.scalars.js';

/** The column from which on texts are continued on the next line. */
const WIDTH = 80;
const PRINTABLE = /^[\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/;
const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\u001b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\ufeff': '\\uFEFF',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

/** Writes a value of JSON as YAML, letter by letter as the real server does: keys in order, lists as far left as their keys, long texts folded. */
export function toYaml(value: unknown): string {
  return new YamlWriter().write(value);
}

class YamlWriter {
  private out = '';
  private column = 0;

  write(value: unknown): string {
    this.value(value, 0, 0, '');
    return `${this.out}\n`;
  }

  /** @param indent the column of what is inside of the value. @param list the column of the items of a list. @param gap stands before a scalar */
  private value(value: unknown, indent: number, list: number, gap: string): void {
    const isContainer = typeof value === 'object' && value !== null;
    if (!isContainer || Object.values(value).every((each) => each === undefined)) {
      this.put(gap);
      if (isContainer) this.put(Array.isArray(value) ? '[]' : '{}');
      else this.scalar(value, indent);
      return;
    }
    if (Array.isArray(value)) {
      if (gap === ' ' && this.out) this.line(list);
      this.items(value, list);
    } else {
      if (gap === ' ') this.line(indent);
      this.members(value as Record<string, unknown>, indent);
    }
  }

  private items(items: readonly unknown[], indent: number): void {
    for (const [index, item] of items.entries()) {
      if (index > 0) this.line(indent);
      this.put('- ');
      this.value(item ?? null, indent + 2, indent + 2, '');
    }
  }

  private members(map: Readonly<Record<string, unknown>>, indent: number): void {
    const keys = Object.keys(map).filter((key) => map[key] !== undefined);
    for (const [index, key] of keys.sort(compareKeys).entries()) {
      if (index > 0) this.line(indent);
      this.text(key, Infinity, indent);
      this.put(':');
      this.value(map[key], indent + 2, indent, ' ');
    }
  }

  private scalar(value: unknown, indent: number): void {
    if (typeof value === 'string') this.text(value, WIDTH, indent);
    else this.put(String(value));
  }

  private text(text: string, width: number, indent: number): void {
    const isKey = width === Infinity;
    const isPrintable = PRINTABLE.test(text);
    if (text.includes('\n')) {
      if (isPrintable && !/ (\n|$)/.test(text) && !isKey) this.literal(text, indent);
      else this.doubleQuoted(text, width, indent);
    } else if (needsQuotes(text) || !isPrintable) this.doubleQuoted(text, width, indent);
    else if (isPlain(text)) this.folded(text, width, indent, false);
    else this.singleQuoted(text, width, indent);
  }

  private literal(text: string, indent: number): void {
    const hint = /^[ \n]/.test(text) ? '2' : '';
    const chomping = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
    this.put(`|${hint}${chomping}`);
    for (const line of text.replace(/\n$/, '').split('\n')) this.line(line ? indent : 0, line);
  }

  private singleQuoted(text: string, width: number, indent: number): void {
    this.put("'");
    this.folded(text.replaceAll("'", "''"), width, indent, true);
    this.put("'");
  }

  /** Writes a text, and breaks it at single spaces beyond the width. */
  private folded(text: string, width: number, indent: number, isQuoted: boolean): void {
    let start = 0;
    for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) {
      const isInside = !isQuoted || (at > 0 && at < text.length - 1);
      if (text[at - 1] === ' ' || text[at + 1] === ' ' || !isInside) continue;
      if (this.column + lengthOf(text.slice(start, at)) <= width) continue;
      this.put(text.slice(start, at));
      this.line(indent);
      start = at + 1;
    }
    this.put(text.slice(start));
  }

  private doubleQuoted(text: string, width: number, indent: number): void {
    this.put('"');
    const characters = [...text];
    let wasSpace = false;
    for (const [at, character] of characters.entries()) {
      const isInside = at > 0 && at < characters.length - 1;
      if (character === ' ' && isInside && !wasSpace && this.column > width) {
        this.line(indent);
        if (characters[at + 1] === ' ') this.put('\\');
      } else this.put(escaped(character));
      wasSpace = character === ' ';
    }
    this.put('"');
  }

  private line(indent: number, text = ''): void {
    this.out += `\n${' '.repeat(indent)}${text}`;
    this.column = indent + text.length;
  }

  private put(text: string): void {
    this.out += text;
    this.column += lengthOf(text);
  }
}

/** Counts characters, some of which JavaScript counts twice. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** Whether a text of one line can stand without quotes. */
function isPlain(text: string): boolean {
  if (/^[#,[\]{}&*!|>'"%@`]|^[-?:]( |$)|^(---|\.\.\.)/.test(text)) return false;
  return !/^ | $|:( |$)| #/.test(text);
}

function escaped(character: string): string {
  const known = ESCAPES[character];
  if (known !== undefined) return known;
  if (character.length === 1 && PRINTABLE.test(character)) return character;
  const code = character.codePointAt(0)!;
  const [letter, digits] = code <= 0xff ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8];
  return `\\${letter}${code
    .toString(16)
    .toUpperCase()
    .padStart(digits as number, '0')}`;
}

const LETTER = /\p{L}/u;
const DIGIT = /\d/;

/** Orders keys as the real server's YAML does: numbers in them by their value, letters after all else. */
function compareKeys(left: string, right: string): number {
  const end = Math.min(left.length, right.length);
  let at = 0;
  while (at < end && left[at] === right[at]) at += 1;
  if (at === end) return left.length - right.length;
  const [a, b] = [left[at]!, right[at]!];
  if (LETTER.test(a) && LETTER.test(b)) return a < b ? -1 : 1;
  if (LETTER.test(a) || LETTER.test(b)) {
    const lettersFirst = at > 0 && DIGIT.test(left[at - 1]!);
    return LETTER.test(a) === lettersFirst ? -1 : 1;
  }
  const [first, second] = [left, right].map((key) => /^\d*/.exec(key.slice(at))![0]) as [string, string];
  if (Number(first) !== Number(second)) return Number(first) - Number(second);
  return first.length - second.length || (a < b ? -1 : 1);
}
