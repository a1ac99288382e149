import { errorText, type JsonMap, setKey } from 'kube-common';

/**
 * The most levels of maps and lists in a value. Values that people write have fewer, and a recursion over more levels could overflow the
 * stack.
 */
const MOST_LEVELS = 1000;

/** The pattern of keys that can be written after a dot. */
const PLAIN = /^[\w$-]+$/;

/** The classes of objects of which JSON silently keeps nothing or next to nothing. */
const LOST_IN_JSON = [Map, Set, WeakMap, WeakSet, Promise, Error] as const;

/**
 * Converts a value to JSON values: dates become texts, undefined members are removed, and bigints stay integers. A value that is JSON
 * already is returned itself, not a copy.
 *
 * @param root the name of the value, or of its container, for messages.
 * @param keys the path of the value in its container.
 * @throws TypeError that names the place in the value that JSON would lose or reject.
 */
export function toJsonValue(value: unknown, root: string, keys: readonly string[] = []): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  const place = { root, keys: [...keys], ancestors: [] };
  try {
    return convert(value, place);
  } catch (error) {
    if (error instanceof RefusedValue) throw error;
    // User code can throw: toJSON(), getters, proxies.
    return refuse(place, `cannot be made JSON: ${errorText(error)}`);
  }
}

/** The error of a value that JSON would lose or reject. */
class RefusedValue extends TypeError {}

/** The path from the converted value to a nested one. */
interface Place {
  readonly root: string;
  readonly keys: (string | number)[];
  readonly ancestors: object[];
}

function convert(value: unknown, place: Place): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value;
    case 'number':
      if (!Number.isFinite(value)) refuse(place, `is ${value}`);
      return value;
    case 'bigint':
      if (BigInt.asIntN(64, value) !== value) refuse(place, 'is an integer of more than 64 bits');
      return value;
    case 'object':
      return value === null ? null : convertObject(value, place);
    default:
      return refuse(place, `is a ${typeof value}`);
  }
}

function convertObject(value: object, place: Place): unknown {
  const { ancestors } = place;
  if (ancestors.includes(value)) refuse(place, 'refers to its own container');
  if (ancestors.length === MOST_LEVELS) refuse(place, `is nested more deeply than ${MOST_LEVELS} levels`);
  ancestors.push(value);
  const converted = convertContent(value, place);
  ancestors.pop();
  return converted;
}

function convertContent(value: object, place: Place): unknown {
  if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON(), place);
  if (Array.isArray(value)) return convertList(value, place);
  const lost = LOST_IN_JSON.find((type) => value instanceof type);
  if (lost) {
    // The promise is not awaited, so its rejection would end the process.
    if (value instanceof Promise) value.catch(() => undefined);
    refuse(place, `is ${lost === Error ? 'an' : 'a'} ${lost.name}`);
  }
  if (isBoxed(value)) return convert(value.valueOf(), place);
  return convertMap(value as JsonMap, place);
}

function convertList(list: readonly unknown[], place: Place): readonly unknown[] {
  let copy: unknown[] | undefined;
  // Holes of arrays count as undefined, as JSON has none.
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    place.keys.push(index);
    const converted = convert(item, place) ?? null;
    place.keys.pop();
    if (converted !== item) (copy ??= [...list])[index] = converted;
  }
  return copy ?? list;
}

function convertMap(map: JsonMap, place: Place): JsonMap {
  const names = Object.keys(map);
  let copy: JsonMap | undefined;
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    place.keys.push(name);
    const member = map[name];
    const converted = convert(member, place);
    place.keys.pop();
    if (!copy && (converted !== member || member === undefined)) copy = firstMembers(map, names, index);
    if (copy && converted !== undefined) setKey(copy, name, converted);
  }
  return copy ?? map;
}

function firstMembers(map: JsonMap, names: readonly string[], count: number): JsonMap {
  const copy: JsonMap = {};
  for (const name of names.slice(0, count)) setKey(copy, name, map[name]);
  return copy;
}

function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt;
}

function refuse({ root, keys }: Place, problem: string): never {
  throw new RefusedValue(`${toPlace(root, keys)} ${problem}`);
}

/** Formats the place of a value as in a program: `patch.metadata.annotations['example.com/a']`. */
export function toPlace(root: string, keys: readonly (string | number)[]): string {
  return (
    root + keys.map((key) => (typeof key === 'string' && PLAIN.test(key) ? `.${key}` : `[${quoted(key)}]`)).join('')
  );
}

function quoted(key: string | number): string {
  return typeof key === 'number' ? `${key}` : `'${key}'`;
}
