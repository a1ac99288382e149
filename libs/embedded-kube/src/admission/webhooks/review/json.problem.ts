/** Says why a text is no JSON in the words of the real server, as far as its beginning shows it. */
export function jsonProblem(text: string): string {
  const first = text.trimStart()[0];
  if (first === undefined || first === '{' || first === '[') return 'unexpected end of JSON input';
  return `invalid character '${first}' looking for beginning of value`;
}
