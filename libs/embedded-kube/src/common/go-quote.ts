/** The characters that Go writes by an escape in quoted texts. */
export const GO_ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};
/** Matches what is not printed as it is: control characters, all spaces but the usual one, and what has no character. */
const ESCAPED = /["\\]|(?! )[\p{C}\p{Z}]/gu;

/** Quotes a text as Go's `%q` does: `"a\x00"`. */
export function quoteGo(text: string): string {
  return `"${text.replace(ESCAPED, escaped)}"`;
}

/** Quotes a character as Go's `%q` does: `'\n'`. */
export function quoteGoCharacter(character: string): string {
  if (character === '"') return `'"'`;
  return `'${character === "'" ? "\\'" : character.replace(ESCAPED, escaped)}'`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!;
  const [letter, digits] = code < 0x80 ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8];
  return GO_ESCAPES[character] ?? `\\${letter}${code.toString(16).padStart(digits as number, '0')}`;
}
