import { isMap as isJsonObject, stringifyJson } from 'kube-common';

// The JSON objects of all packages, by the names that they have in the API server.
export {
  deepEqual as jsonEqual,
  getKey as getMember,
  isMap as isJsonObject,
  setKey as setMember,
  type JsonMap as JsonObject,
} from 'kube-common';

/** Whether a value is a JSON object that the caller may read but not change, as {@link isJsonObject} otherwise. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value);
}

/** Returns a mapping with unknown values; an empty one for everything that is no mapping. */
export function mapping(value: unknown): Readonly<Record<string, unknown>> {
  return isMapping(value) ? value : {};
}

/** Returns the name that the real server's messages give to the JSON type of a value. */
export function jsonTypeName(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Returns the JSON of a value with the members of its objects in alphabetical order: equal values give equal texts. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (!isJsonObject(value)) return stringifyJson(value);
  const members = Object.keys(value).toSorted();
  return `{${members.map((name) => `${JSON.stringify(name)}:${sortedJson(value[name])}`).join(',')}}`;
}

/** Whether a value is a number: whole ones beyond the safe integers are bigints. */
export function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
