import { isJsonObject, type JsonObject } from '../common/json.values.js';

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
