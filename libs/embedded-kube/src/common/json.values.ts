import { stringifyJson } from 'kube-common';

/** A JSON object with unchecked members. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object, not an array, a scalar or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a JSON object that the caller may read but not change, as {@link isJsonObject} otherwise. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value);
}

/** Returns a mapping with unknown values; an empty one for everything that is no mapping. */
export function mapping(value: unknown): Readonly<Record<string, unknown>> {
  return isMapping(value) ? value : {};
}

/** Sets a member as an own property, also one with a name such as `__proto__`. */
export function setMember(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** Reads an own member, so that inherited names such as `constructor` stay invisible. */
export function getMember(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
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

/** Compares two JSON values by their content; the order of members does not matter, nor whether an integer is a bigint. */
export function jsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) && left.length === right.length && left.every((item, index) => jsonEqual(item, right[index]))
    );
  }
  if (typeof left === 'bigint') return Number.isInteger(right) && left === BigInt(right as number);
  if (typeof right === 'bigint') return jsonEqual(right, left);
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && jsonEqual(left[key], right[key]))
  );
}
