import { CelSyntaxError } from './cel.issue.js';

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};

const ESCAPE = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g;

/** Reads what stands between the quotes of a string. @throws CelSyntaxError for unknown escapes */
export function readText(content: string, at: number): string {
  return unescape(content, at, (code) => {
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw invalidEscape(at);
    return String.fromCodePoint(code);
  });
}

/** Reads what stands between the quotes of bytes, where numeric escapes are bytes. @throws CelSyntaxError */
export function readBytes(content: string, at: number): Uint8Array {
  const binary = unescape(Buffer.from(content, 'utf8').toString('latin1'), at, (code) => {
    if (code > 0xff) throw invalidEscape(at);
    return String.fromCharCode(code);
  });
  return new Uint8Array(Buffer.from(binary, 'latin1'));
}

function unescape(content: string, at: number, character: (code: number) => string): string {
  if (!content.includes('\\')) return content;
  return content.replace(
    ESCAPE,
    (_match, hex?: string, short?: string, long?: string, octal?: string, own?: string) => {
      const digits = hex ?? short ?? long;
      if (digits !== undefined) return character(Number.parseInt(digits, 16));
      if (octal !== undefined) return character(Number.parseInt(octal, 8));
      const known = ESCAPES[own!];
      if (known === undefined) throw invalidEscape(at);
      return known;
    },
  );
}

function invalidEscape(at: number): CelSyntaxError {
  return new CelSyntaxError({ message: 'Syntax error: unable to unescape string', at });
}
