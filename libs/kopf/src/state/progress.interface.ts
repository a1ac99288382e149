// state: what an operator keeps with the objects: finalizer, progress of handlers, last handled essence, and their annotations.
// It is Kopf's format to the byte, as either operator goes on where the other one has stopped.
// Here it is only read from bodies and added to patches; when this happens is decided in handling/.
// May import: common, objects, resources.

import type { Essence } from '../objects/essences.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';

/** Names the purpose of a handler's run, as it is stored with its progress. */
export type HandlingPurpose = 'create' | 'update' | 'delete' | 'resume';

/**
 * The stored progress of one handler of one object. Timestamps are in UTC with microseconds: `2020-12-31T23:59:59.123456+00:00`.
 *
 * The names, the order, and the format are Kopf's, as either side must be able to go on where the other one stopped.
 */
export interface ProgressRecord {
  started?: string | null;
  stopped?: string | null;
  /** Tells when the next attempt is due. */
  delayed?: string | null;
  purpose?: string | null;
  /** Counts the attempts. */
  retries?: number | null;
  success?: boolean | null;
  failure?: boolean | null;
  /** The error of the last attempt. */
  message?: string | null;
  /** Ids of the sub-handlers, of all levels. */
  subrefs?: readonly string[] | null;
  /** The essence as JSON that the handler has finished with, or since which it is shown a change; only with `execution.lateChanges: 'repeat'`. Kopf ignores it. */
  handled?: string | null;
  /** The essence as JSON that the last attempt was made with, if it has not finished; only with `execution.lateChanges: 'repeat'`. */
  tried?: string | null;
}

/** Stores the progress of handlers with the object, so that handling goes on after a restart. */
export interface ProgressStorage {
  /** Reads the record of a handler, or `undefined` if there is none or it is unreadable. */
  fetch(key: string, body: KubeObject): ProgressRecord | undefined;
  /** Adds the record of a handler to the patch. */
  store(key: string, record: ProgressRecord, body: KubeObject, patch: Patch): void;
  /** Removes the record of a handler, if there is one in the object or in the patch. */
  purge(key: string, body: KubeObject, patch: Patch): void;
  /** Marks the object as {@link store} does: for objects whose handlers are done at once, so that no record is stored. @default not at all */
  mark?(body: KubeObject, patch: Patch): void;
  /** Makes a change without meaning, so that a new event comes; a `null` removes what it left, if anything. */
  touch(value: string | null, body: KubeObject, patch: Patch): void;
  /** Drops the storage's own fields from an essence, given for good: the result can be changed in place. */
  clear(essence: Essence): Essence;
}

/** Keeps the essence as it was when the object was last handled, to compare it with. */
export interface DiffBaseStorage {
  /** Makes the essence of an object: a deep copy without what is not essential, but with the extra fields. */
  build(body: KubeObject, extraFields: readonly (readonly string[])[]): Essence;
  /** Reads the stored essence, or `undefined` if the object was never handled. */
  fetch(body: KubeObject): Essence | undefined;
  /** Adds the essence to the patch. */
  store(body: KubeObject, patch: Patch, essence: Essence): void;
  /** Tells whether the object is a copy of another one, so that neither its essence nor its progress count. @default never */
  isCopied?(body: KubeObject): boolean;
  /** Marks an object with progress, but without an essence yet, as itself, so that copies of it are known. @default not at all */
  claim?(body: KubeObject, patch: Patch): void;
}
