import type { StatusError } from '../errors/status.error.js';
import type { StoredObject } from '../storage/stored.object.js';

/** Makes the lines of a watch. */
export interface WatchEncoder {
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: StoredObject): Uint8Array;
  /** @param initialEnd whether it tells the end of the objects that were there at the beginning */
  bookmark(revision: number, initialEnd: boolean): Uint8Array;
  error(error: StatusError): Uint8Array;
}
