/** Headers as the HTTP library has them. */
export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Makes one text of each header, as those that come several times mean a list. */
export function joinHeaders(headers: RawHeaders): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) result[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return result;
}
