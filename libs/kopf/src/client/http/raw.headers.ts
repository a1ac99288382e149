import { util } from 'undici';

/** Headers as the HTTP libraries return them. */
export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Joins the values of headers that come several times, which form a list. */
export function joinHeaders(headers: RawHeaders): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) result[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return result;
}

/** Parses headers as they arrived: names and values alternately. */
export function parseHeaders(lines: readonly Buffer[]): Readonly<Record<string, string>> {
  return joinHeaders(util.parseHeaders(lines as Buffer[]));
}
