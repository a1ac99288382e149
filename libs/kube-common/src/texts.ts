/** Describes anything that was thrown; never throws. */
export function errorText(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message || error.name) : String(error);
  } catch {
    // Objects can have no text, and such that fails.
    return 'an error that cannot be shown';
  }
}

/** Joins words as in a sentence: `a`, `a and b`, `a, b, and c`. */
export function joinWords(words: readonly string[], conjunction: 'and' | 'or'): string {
  if (words.length < 3) return words.join(` ${conjunction} `);
  return `${words.slice(0, -1).join(', ')}, ${conjunction} ${words.at(-1)}`;
}

/** A message followed by the text of an error, if there is one. */
export function withErrorText(message: string, error: unknown): string {
  if (error === undefined) return message;
  return message ? `${message} ${errorText(error)}` : errorText(error);
}

/** The most causes of an error that are shown, as they can go round in circles. */
const MOST_CAUSES = 5;

/**
 * Describes where an error was thrown, and where its causes were. Each line is a frame, or the whole text of an error.
 * Long messages are cut, so that they do not hide it.
 */
export function errorStack(error: unknown): string {
  const stacks: string[] = [];
  for (let each = error; each !== undefined && stacks.length <= MOST_CAUSES; each = (each as Error).cause) {
    const stack = stackOf(each);
    stacks.push(each instanceof Error && each.stack ? escapeStack(stack) : escapeControls(stack));
    if (!(each instanceof Error)) break;
  }
  return stacks.join('\nCaused by: ');
}

function stackOf(error: unknown): string {
  const text = errorText(error);
  const short = cutLine(text);
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack : text;
  return text === short ? stack : stack.replace(text, () => short);
}

/** The replacement of the middle that was cut out of a text; it is the same as in the messages of Kubernetes events. */
const INFIX = '...';

/** The most bytes of a log line: container runtimes split what is longer into several lines. */
const LINE_SIZE = 16 * 1024;

/** The most bytes of a stored message. Hundreds of them fit into the annotations of one object, which hold 256 KiB together. */
const STORED_SIZE = 1024;

/** The most bytes that a character takes by any of the measures: texts that fit anyway are not looked into. */
const LARGEST_SIZE = 6;

/** Cuts the middle out of a text that is too long for a log line, so that what has happened and its end stay readable. */
export function cutLine(text: string): string {
  return cutMiddle(text, LINE_SIZE, utf8Size);
}

/**
 * Cuts the middle out of a message that is to be stored on an object: a patch that is too large is rejected as a whole, and with it the record
 * that counts the attempts, so that the handler would be called again without end. What counts is the message's size in JSON in ASCII.
 */
export function cutStoredMessage(text: string): string {
  return cutMiddle(text, STORED_SIZE, escapedSize);
}

/** Keeps as much of both ends as fits; surrogate pairs stay whole. */
function cutMiddle(text: string, limit: number, sizeOf: (code: number) => number): string {
  if (text.length * LARGEST_SIZE <= limit || fits(text, limit, sizeOf)) return text;
  const half = (limit - INFIX.length) / 2;
  const sizeAt = (index: number): number => sizeOf(text.charCodeAt(index));
  let end = 0;
  let start = text.length;
  for (let size = sizeAt(0); size <= half; size += sizeAt(end)) end++;
  for (let size = sizeAt(start - 1); size <= half; size += sizeAt(start - 1)) start--;
  if (isHighSurrogate(text.charCodeAt(end - 1))) end--;
  if (isHighSurrogate(text.charCodeAt(start - 1))) start++;
  return text.slice(0, end) + INFIX + text.slice(start);
}

function fits(text: string, limit: number, sizeOf: (code: number) => number): boolean {
  let size = 0;
  for (let index = 0; index < text.length && size <= limit; index++) size += sizeOf(text.charCodeAt(index));
  return size <= limit;
}

/** The bytes of a character in UTF-8; of each half of a surrogate pair, half of the pair's. */
function utf8Size(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800 || (code & 0xf800) === 0xd800) return 2;
  return 3;
}

/** The bytes of a character in JSON that is escaped to ASCII. */
function escapedSize(code: number): number {
  if (code >= 0x7f) return 6;
  if (code === 0x22 || code === 0x5c) return 2;
  if (code >= 0x20) return 1;
  return code >= 0x08 && code <= 0x0d && code !== 0x0b ? 2 : 6;
}

function isHighSurrogate(code: number): boolean {
  return (code & 0xfc00) === 0xd800;
}

/** Control characters, and what Unicode has for line breaks. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const ALL_CONTROLS = new RegExp(CONTROLS, 'g');

const SHORT_FORMS: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Makes one line of a text: control characters, which can begin new lines or colour a terminal, become escapes such as `\\n`. */
export function escapeControls(text: string): string {
  return CONTROLS.test(text) ? text.replace(ALL_CONTROLS, escapeControl) : text;
}

/** Does the same for a stack, but for the lines of its frames. */
export function escapeStack(stack: string): string {
  const [first, ...rest] = stack.split('\n');
  return rest.reduce(
    (text, line) => text + (/^\s+at /.test(line) ? '\n' : '\\n') + escapeControls(line),
    escapeControls(first),
  );
}

function escapeControl(character: string): string {
  return SHORT_FORMS[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
