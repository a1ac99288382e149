import { type CelIssue, CelSyntaxError } from './cel.issue.js';
import { readBytes, readText } from './cel.strings.js';
import { CelUint, type CelValue } from '../values/cel.value.js';

export interface CelToken {
  readonly kind: 'literal' | 'number' | 'ident' | 'symbol' | 'end';
  readonly text: string;
  readonly at: number;
  readonly value?: CelValue;
}

const SPACE = /(?:[ \t\r\n\f]|\/\/[^\n]*)*/y;
const NUMBER = /0x[0-9a-fA-F]+[uU]?|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[uU]?|\.\d+(?:[eE][+-]?\d+)?/y;
const IDENT = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const SYMBOL = /==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]{}]/y;
/** A string that does not end, the begin of an operator with what follows, or any other character. */
const UNKNOWN = /["'][^\n]*|[=&|][\s\S]?|[\s\S]/y;
const STRING =
  /([bB]?[rR]?|[rR][bB])("""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/y;
/** The form of raw strings, which end at the first quote, also after a backslash. */
const RAW_STRING = /([rR][bB]?|[bB][rR])("""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')/y;

/**
 * Returns the tokens of an expression; other characters are left out, and reported.
 *
 * @throws CelSyntaxError for strings with unknown escapes
 */
export function tokenize(expression: string): { readonly tokens: CelToken[]; readonly issues: CelIssue[] } {
  const tokens: CelToken[] = [];
  const issues: CelIssue[] = [];
  let at = matched(SPACE, expression, 0)!.length;
  while (at < expression.length) {
    const token = readToken(expression, at);
    const text = token?.text ?? matched(UNKNOWN, expression, at)!;
    if (token) tokens.push(token);
    else issues.push({ message: `Syntax error: token recognition error at: '${text}'`, at });
    at += text.length;
    at += matched(SPACE, expression, at)!.length;
  }
  return { tokens: [...tokens, { kind: 'end', text: '<EOF>', at: expression.length }], issues };
}

function readToken(expression: string, at: number): CelToken | undefined {
  const raw = matched(RAW_STRING, expression, at) ?? matched(STRING, expression, at);
  if (raw !== undefined) return { kind: 'literal', text: raw, at, value: stringValue(raw, at) };
  const number = matched(NUMBER, expression, at);
  if (number !== undefined) return { kind: 'number', text: number, at };
  const ident = matched(IDENT, expression, at);
  if (ident !== undefined) return { kind: 'ident', text: ident, at };
  const symbol = matched(SYMBOL, expression, at);
  if (symbol !== undefined) return { kind: 'symbol', text: symbol, at };
  return undefined;
}

function matched(form: RegExp, text: string, at: number): string | undefined {
  form.lastIndex = at;
  return form.exec(text)?.[0];
}

function stringValue(token: string, at: number): CelValue {
  const quote = token.search(/["']/);
  const prefix = token.slice(0, quote).toLowerCase();
  const width = /^(?:"""|''')/.test(token.slice(quote)) && token.length - quote >= 6 ? 3 : 1;
  const content = token.slice(quote + width, -width).replaceAll('\r\n', '\n');
  const isRaw = prefix.includes('r');
  if (prefix.includes('b')) return isRaw ? new TextEncoder().encode(content) : readBytes(content, at);
  return isRaw ? content : readText(content, at);
}

const MAX_INT = 2n ** 63n;
const MAX_UINT = 2n ** 64n;

/**
 * Reads a number with its sign, which belongs to it: the smallest integer has no positive counterpart.
 *
 * @throws CelSyntaxError if it is out of range
 */
export function numberValue(text: string, negative: boolean, at: number): CelValue {
  if (/[uU]$/.test(text)) {
    const value = BigInt(text.slice(0, -1));
    if (negative || value >= MAX_UINT) throw new CelSyntaxError({ message: 'invalid uint literal', at });
    return new CelUint(value);
  }
  if (text.startsWith('0x') || /^\d+$/.test(text)) {
    const value = negative ? -BigInt(text) : BigInt(text);
    if (value >= MAX_INT || value < -MAX_INT) throw new CelSyntaxError({ message: 'invalid int literal', at });
    return value;
  }
  const value = Number(text);
  if (!Number.isFinite(value)) throw new CelSyntaxError({ message: 'invalid double literal', at });
  return negative ? -value : value;
}
