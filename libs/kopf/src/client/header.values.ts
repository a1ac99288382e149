/** Headers as the HTTP library has them. */
export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Makes one text of each header, as those that come several times mean a list. */
export function joinHeaders(headers: RawHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : `${value}`]),
  );
}
