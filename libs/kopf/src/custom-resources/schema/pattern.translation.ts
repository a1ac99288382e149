/** Escapes with the same meaning in JavaScript and in RE2, the regular expressions of Go. */
const SHARED_ESCAPES = /[dDwWsSbBtnrvfpP]/;

/** The most repetitions that RE2 allows. */
const MAX_REPETITIONS = 1000;

/**
 * Translates a regular expression to RE2, the syntax of patterns in the API server.
 *
 * @throws Error that names the part which RE2 does not support: look-around, back references, more than 1000 repetitions.
 */
export function translatePattern({ source, flags }: RegExp): string {
  const options = [...'ims'].filter((flag) => flags.includes(flag)).join('');
  let translated = '';
  let isInClass = false;
  for (let index = 0; index < source.length; index += 1) {
    const rest = source.slice(index);
    const token = isInClass ? readInClass(rest) : readOutside(rest);
    if (token.opens) isInClass = true;
    if (token.closes) isInClass = false;
    translated += token.text;
    index += token.length - 1;
  }
  return options ? `(?${options})${translated}` : translated;
}

interface Token {
  readonly text: string;
  /** The number of characters of the source. */
  readonly length: number;
  readonly opens?: boolean;
  readonly closes?: boolean;
}

function readInClass(rest: string): Token {
  if (rest.startsWith(']')) return { text: ']', length: 1, closes: true };
  if (rest.startsWith('[')) return { text: '\\[', length: 1 };
  if (rest.startsWith('\\b')) return { text: '\\x08', length: 2 };
  return rest.startsWith('\\') ? readEscape(rest) : { text: rest.charAt(0), length: 1 };
}

function readOutside(rest: string): Token {
  if (rest.startsWith('[^]')) return { text: '(?s:.)', length: 3 };
  if (rest.startsWith('[]')) throw new Error('the empty class [], which RE2 does not have');
  if (rest.startsWith('[^')) return { text: '[^', length: 2, opens: true };
  if (rest.startsWith('[')) return { text: '[', length: 1, opens: true };
  const around = /^\(\?(<?[=!])/.exec(rest);
  if (around) throw new Error(`the look-around (?${around[1]}…), which RE2 does not have`);
  if (rest.startsWith('(?<')) return { text: '(?P<', length: 3 };
  const reference = /^\\(?:[1-9]|k<)/.exec(rest);
  if (reference) throw new Error(`the back reference ${reference[0]}, which RE2 does not have`);
  const repetition = /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
  if (repetition && [repetition[1], repetition[2]].some((count) => Number(count ?? 0) > MAX_REPETITIONS)) {
    throw new Error(`more than ${MAX_REPETITIONS} repetitions, which RE2 does not allow`);
  }
  return rest.startsWith('\\') ? readEscape(rest) : { text: rest.charAt(0), length: 1 };
}

function readEscape(rest: string): Token {
  const code = /^\\u\{([0-9a-fA-F]+)\}|^\\u([0-9a-fA-F]{4})|^\\x([0-9a-fA-F]{2})/.exec(rest);
  if (code) return { text: `\\x{${code[1] ?? code[2] ?? code[3]}}`, length: code[0].length };
  const escaped = rest.charAt(1);
  if (escaped === '0') return { text: '\\x00', length: 2 };
  if (escaped === 'c') throw new Error('a control character \\c, which RE2 does not have');
  if (escaped === '/') return { text: '/', length: 2 };
  if (SHARED_ESCAPES.test(escaped) || /[^\w\s]/.test(escaped)) return { text: `\\${escaped}`, length: 2 };
  return { text: escaped, length: 2 };
}

/** Escapes a text, so that the pattern matches the text literally. */
export function quotePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
