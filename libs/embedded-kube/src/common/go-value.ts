import { quoteGo } from './go-quote.js';
import { isJsonObject } from './json.values.js';

/** Returns a decoded value as Go's `%#v` prints it, with its types: `[]interface {}{1, "x"}`. @param keys the type of the keys of maps */
export function goValue(value: unknown, keys = 'string'): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map((item) => goValue(item, keys)).join(', ')}}`;
  if (!isJsonObject(value)) return typeof value === 'string' ? quoteGo(value) : String(value);
  const members = Object.keys(value).toSorted();
  return `map[${keys}]interface {}{${members.map((name) => `${quoteGo(name)}:${goValue(value[name], keys)}`).join(', ')}}`;
}
