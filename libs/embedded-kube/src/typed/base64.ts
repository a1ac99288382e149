import { DecodingError } from '../errors/field.error.js';

const PADDING = '='.charCodeAt(0);
const LINE_BREAKS: readonly number[] = [...'\r\n'].map((character) => character.charCodeAt(0));

/**
 * Brings binary data into the server's form: without the line breaks that Go ignores, and without bits beyond the last byte.
 *
 * @throws DecodingError with the place at which Go finds the error, if the text is no base64
 */
export function canonicalBase64(text: string): string {
  const position = findCorruption(Buffer.from(text));
  if (position !== undefined) throw new DecodingError(`illegal base64 data at input byte ${position}`);
  return Buffer.from(text, 'base64').toString('base64');
}

/** Returns the byte that Go's `base64.StdEncoding` complains about; `undefined` if there is none. */
function findCorruption(bytes: Uint8Array): number | undefined {
  const skipLineBreaks = (from: number): number => {
    let next = from;
    while (LINE_BREAKS.includes(bytes[next])) next++;
    return next;
  };
  for (let digits = 0, index = skipLineBreaks(0); ; index = skipLineBreaks(index + 1)) {
    if (index >= bytes.length) return digits ? index - digits : undefined;
    if (isDigit(bytes[index])) {
      digits = (digits + 1) % 4;
      continue;
    }
    if (bytes[index] !== PADDING || digits < 2) return index;
    let next = skipLineBreaks(index + 1);
    if (digits === 2) {
      if (next === bytes.length) return next;
      if (bytes[next] !== PADDING) return next - 1;
      next = skipLineBreaks(next + 1);
    }
    return next < bytes.length ? next : undefined;
  }
}

function isDigit(byte: number): boolean {
  return /[A-Za-z0-9+/]/.test(String.fromCharCode(byte));
}
