import { isJsonObject, type JsonObject } from '../common/json.values.js';
import { FieldSet } from './field.set.js';

/** Identifies who writes, and how: an entry of `managedFields`. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  /** The group and version in which the fields are named. */
  readonly apiVersion: string;
  readonly subresource?: string;
}

/** The fields that one manager owns. */
export interface Ownership {
  readonly manager: Manager;
  readonly fields: FieldSet;
  /** Tells when the manager changed something last; absent if it never did. */
  readonly time?: string;
}

/** Holds the owned fields of an object, by {@link managerKey}. */
export type Owners = ReadonlyMap<string, Ownership>;

/** Returns the key of an entry. A manager that applies has one entry, whatever the version. */
export function managerKey({ name, operation, apiVersion, subresource = '' }: Manager): string {
  return JSON.stringify([name, operation, operation === 'Apply' ? '' : apiVersion, subresource]);
}

/** Reads `managedFields`. @returns `undefined` if they are of no use */
export function readManagedFields(entries: unknown): Owners | undefined {
  if (!Array.isArray(entries)) return undefined;
  try {
    const owners = new Map<string, Ownership>();
    for (const entry of entries) {
      const ownership = readEntry(entry);
      owners.set(managerKey(ownership.manager), ownership);
    }
    return owners;
  } catch {
    return undefined;
  }
}

/** Writes `managedFields` in the server's order: who applies first, then by time and name. */
export function writeManagedFields(owners: Owners): object[] {
  return [...owners.values()].sort(compareOwnerships).map(({ manager, fields, time }) => ({
    apiVersion: manager.apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: fields.toFields(),
    manager: manager.name,
    operation: manager.operation,
    ...(manager.subresource && { subresource: manager.subresource }),
    ...(time !== undefined && { time }),
  }));
}

/** Checks whether two lists of entries are equal, but for the times. */
export function sameOwners(left: unknown, right: unknown): boolean {
  const [first, second] = [readManagedFields(left), readManagedFields(right)];
  if (!first || !second || first.size !== second.size) return false;
  return [...first].every(([key, { fields, manager }]) => {
    const other = second.get(key);
    return other !== undefined && other.manager.apiVersion === manager.apiVersion && other.fields.equals(fields);
  });
}

function readEntry(entry: unknown): Ownership {
  if (!isJsonObject(entry)) throw new Error('an entry is no object');
  const { manager = '', operation, apiVersion = '', subresource = '', fieldsType, fieldsV1 = {}, time } = entry;
  const texts = [manager, apiVersion, subresource];
  if (fieldsType !== 'FieldsV1' || (operation !== 'Apply' && operation !== 'Update')) {
    throw new Error('an entry is of an unknown type');
  }
  if (!texts.every((text) => typeof text === 'string')) throw new Error('an entry is malformed');
  const [name, version, part] = texts as string[];
  return {
    manager: { name: name!, operation, apiVersion: version!, ...(part && { subresource: part }) },
    fields: FieldSet.parse(fieldsV1),
    ...(typeof time === 'string' && { time }),
  };
}

function compareOwnerships(left: Ownership, right: Ownership): number {
  const keys = ({ manager, time = '' }: Ownership): string[] => [
    manager.operation,
    time,
    manager.name,
    manager.apiVersion,
    manager.subresource ?? '',
  ];
  const others = keys(right);
  for (const [index, key] of keys(left).entries()) {
    if (key !== others[index]) return key < others[index]! ? -1 : 1;
  }
  return 0;
}

/** The metadata of an object; empty if it has none. */
export function metadataOf(object: JsonObject): JsonObject {
  return isJsonObject(object['metadata']) ? object['metadata'] : {};
}

/** The object without word of its owners; the object itself if there is none. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const { managedFields, ...metadata } = metadataOf(object);
  return managedFields === undefined ? object : { ...object, metadata };
}

/** The object with the entries of its owners, if there are any. */
export function withManagedFields(object: JsonObject, entries: readonly object[]): JsonObject {
  const metadata: JsonObject = { ...metadataOf(object) };
  if (entries.length > 0) metadata['managedFields'] = entries;
  return { ...object, metadata };
}
