import { isJsonObject, jsonEqual, type JsonObject } from '../common/json.values.js';
import { FieldSet, type FieldsV1 } from './field.set.js';

const FIELDS_TYPE = 'FieldsV1';

/** The identity of a writer: a manager, an operation, and a version, as in an entry of `managedFields`. */
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
  /** The time when the manager changed something last; absent if it never did. */
  readonly time?: string;
  /** The entry that the owner was read from, as long as nothing of it has changed. */
  readonly entry?: object;
}

/** The form in which the sets of entries are read and written. */
export interface FieldSetForm {
  readonly parse: (fields: unknown) => FieldSet;
  readonly write: (set: FieldSet) => FieldsV1;
  /** Whether this form has written the value, so that it need not be written again. */
  isWritten(fields: unknown): boolean;
}

const PLAIN: FieldSetForm = {
  parse: (fields) => FieldSet.parse(fields),
  write: (set) => set.toFields(),
  isWritten: () => false,
};

/** The owned fields of an object, by {@link managerKey}. */
export type Owners = ReadonlyMap<string, Ownership>;

/** Returns the key of an entry. A manager that applies has one entry for all versions. */
export function managerKey({ name, operation, apiVersion, subresource = '' }: Manager): string {
  return `${name}"${operation}"${operation === 'Apply' ? '' : apiVersion}"${subresource}`;
}

/** Reads `managedFields`. @returns `undefined` if they cannot be read */
export function readManagedFields(entries: unknown, form: FieldSetForm = PLAIN): Owners | undefined {
  if (!Array.isArray(entries)) return undefined;
  try {
    const owners = new Map<string, Ownership>();
    for (const entry of entries) {
      const ownership = readEntry(entry, form);
      owners.set(managerKey(ownership.manager), ownership);
    }
    return owners;
  } catch {
    return undefined;
  }
}

/**
 * Writes `managedFields` in the server's order: managers that apply first, then by time and name.
 *
 * @param sorted whether the members of entries are in alphabetical order, as those of custom resources are
 */
export function writeManagedFields(owners: Owners, form: FieldSetForm = PLAIN, sorted = true): object[] {
  const ordered = [...owners.values()];
  if (ordered.length > 1) ordered.sort(compareOwnerships);
  return ordered.map((each) => each.entry ?? (sorted ? sortedEntry(each, form) : typedEntry(each, form)));
}

function sortedEntry({ manager, fields, time }: Ownership, form: FieldSetForm): object {
  const { apiVersion, name, operation, subresource } = manager;
  const entry: Record<string, unknown> = {
    apiVersion,
    fieldsType: FIELDS_TYPE,
    fieldsV1: form.write(fields),
    manager: name,
    operation,
  };
  if (subresource) entry['subresource'] = subresource;
  if (time !== undefined) entry['time'] = time;
  return entry;
}

function typedEntry({ manager, fields, time }: Ownership, form: FieldSetForm): object {
  const { apiVersion, name, operation, subresource } = manager;
  const entry: Record<string, unknown> = { manager: name, operation, apiVersion };
  if (time !== undefined) entry['time'] = time;
  entry['fieldsType'] = FIELDS_TYPE;
  entry['fieldsV1'] = form.write(fields);
  if (subresource) entry['subresource'] = subresource;
  return entry;
}

/** Checks whether two lists of entries are equal, but for the times. One that names a manager twice is not equal to one that does so once. */
export function sameOwners(left: unknown, right: unknown, form: FieldSetForm = PLAIN): boolean {
  if (Array.isArray(left) && Array.isArray(right) && left.length !== right.length) return false;
  const [first, second] = [readManagedFields(left, form), readManagedFields(right, form)];
  if (!first || !second || first.size !== second.size) return false;
  return [...first].every(([key, { fields, manager }]) => {
    const other = second.get(key);
    return other !== undefined && other.manager.apiVersion === manager.apiVersion && other.fields.equals(fields);
  });
}

function readEntry(entry: unknown, form: FieldSetForm): Ownership {
  if (!isJsonObject(entry)) throw new Error('an entry is no object');
  const { manager = '', operation, apiVersion = '', subresource = '', fieldsType, fieldsV1 = {}, time } = entry;
  if (fieldsType !== FIELDS_TYPE || (operation !== 'Apply' && operation !== 'Update')) {
    throw new Error('an entry is of an unknown type');
  }
  if (typeof manager !== 'string' || typeof apiVersion !== 'string' || typeof subresource !== 'string') {
    throw new Error('an entry is malformed');
  }
  return {
    manager: { name: manager, operation, apiVersion, ...(subresource && { subresource }) },
    fields: form.parse(fieldsV1),
    ...(typeof time === 'string' && { time }),
    ...(form.isWritten(fieldsV1) && { entry }),
  };
}

function compareOwnerships(
  { manager: left, time: leftTime = '' }: Ownership,
  { manager: right, time: rightTime = '' }: Ownership,
): number {
  return (
    compareTexts(left.operation, right.operation) ||
    compareTexts(leftTime, rightTime) ||
    compareTexts(left.name, right.name) ||
    compareTexts(left.apiVersion, right.apiVersion) ||
    compareTexts(left.subresource ?? '', right.subresource ?? '')
  );
}

function compareTexts(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Returns the metadata of an object; empty if it has none. */
export function metadataOf(object: JsonObject): JsonObject {
  return isJsonObject(object['metadata']) ? object['metadata'] : {};
}

/** Compares two objects, but for the entries of their owners. */
export function equalContents(left: JsonObject, right: JsonObject): boolean {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) =>
      name === 'metadata'
        ? jsonEqual(withoutEntries(metadataOf(left)), withoutEntries(metadataOf(right)))
        : Object.hasOwn(right, name) && jsonEqual(left[name], right[name]),
    )
  );
}

function withoutEntries({ managedFields: _, ...metadata }: JsonObject): JsonObject {
  return metadata;
}

/** Returns the object without `managedFields`; the object itself if it has none. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const { managedFields, ...metadata } = metadataOf(object);
  return managedFields === undefined ? object : { ...object, metadata };
}

/** Returns the object with the entries of its owners, if there are any. */
export function withManagedFields(object: JsonObject, entries: readonly object[]): JsonObject {
  const metadata: JsonObject = { ...metadataOf(object) };
  if (entries.length > 0) metadata['managedFields'] = entries;
  return { ...object, metadata };
}
