import type { ServedResource } from '../resources/served.resource.js';
import type { StoredObject } from '../storage/stored.object.js';

/** Returns the beginning of the JSON of all objects that are stored in the version in which a resource is served. */
export function headOf({ apiVersion, custom, resource }: ServedResource): string {
  return custom ? `{"apiVersion":"${apiVersion}",` : `{"kind":"${resource.kind}","apiVersion":"${apiVersion}",`;
}

/**
 * Whether a client can be sent the text of an object as it is stored. The beginning of the text shows it, so that it need not be parsed.
 */
export function isServedAsStored(served: ServedResource, stored: StoredObject, head = headOf(served)): boolean {
  if (!served.isReadAsStored) return false;
  if (stored.isParsed) return stored.read().apiVersion === served.apiVersion;
  return stored.startsWith(head);
}
