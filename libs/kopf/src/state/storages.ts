// state: what an operator keeps with the objects: finalizer, progress of handlers, last handled essence, and their annotations.
// It is Kopf's format to the byte, as either operator goes on where the other one has stopped.
// Here it is only read from bodies and added to patches; when this happens is decided in handling/.
// May import: common, objects, resources.

import { type Essence, removeStatusState } from '../objects/essences.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import { parseFieldPath, type FieldPath, type FieldSpec, removeField, setField } from '../objects/field-path.js';
import type { JsonMap } from 'kube-common';
import { KopfError } from '../common/kopf.errors.js';

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
  /**
   * The essence as JSON that the last attempt was made with, if it has not finished; only with `execution.lateChanges: 'repeat'`. Of handlers of
   * children and references, it identifies the states of these.
   */
  tried?: string | null;
  /** Identifies the last attempt for tracers, as in W3C Trace Context, if it has not finished; only with the option `storeTraceparent` of `KopfTracingModule`. Kopf ignores it. */
  traceparent?: string | null;
}

/** The members of a record that Kopf does not know: they are there only if they are in use. */
export type Addition = 'handled' | 'tried' | 'traceparent';

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
  /** Names the fields of an object in which the storage keeps what {@link clear} does not drop. @default none */
  ownFields?(body: KubeObject): readonly FieldPath[];
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
  /** Makes of an essence what may be stored elsewhere on the object, such as in the progress of handlers. @default the essence itself */
  conceal?(essence: Essence, body: KubeObject): Essence;
  /** Makes an essence of what {@link conceal} has made, as far as the object still is as it was. @default the same */
  reveal?(essence: Essence, body: KubeObject): Essence;
  /** Moves an essence that is stored under a former name to the present one. @default there are no former names */
  migrate?(body: KubeObject, patch: Patch): void;
  /** Marks an object with progress, but without an essence yet, as itself, so that copies of it are known. @default not at all */
  claim?(body: KubeObject, patch: Patch): void;
  /**
   * Names the fields of an object in which the storage keeps the essence, so that reviews know the operator's own updates. @default none: those
   * updates are reviewed as those of users are
   */
  ownFields?(body: KubeObject): readonly FieldPath[];
}

/** The storages of an operator. */
export interface StateStorages {
  readonly diffbaseStorage: Pick<DiffBaseStorage, 'build'>;
  readonly progressStorage: Pick<ProgressStorage, 'clear'>;
}

/** Makes the essence of an object as it is compared and stored: without the state of this operator, and of others. */
export function presentEssence(body: KubeObject, extraFields: readonly FieldPath[], storages: StateStorages): Essence {
  return withoutState(storages.diffbaseStorage.build(body, extraFields), extraFields, storages);
}

/** Removes state from an essence in place. Python Kopf stores that of other operators, if it is in the status. */
export function withoutState(
  essence: Essence,
  extraFields: readonly FieldPath[],
  { progressStorage }: Pick<StateStorages, 'progressStorage'>,
): Essence {
  removeStatusState(essence, extraFields);
  return progressStorage.clear(essence);
}

/** Gets what a storage has to say about its setup, or about the state in an object. */
export type WarningCallback = (message: string, body?: KubeObject) => void;

/** The default prefix of annotations; Kopf's. */
export const DEFAULT_PREFIX = 'kopf.zalando.org';

/** Options of the storages in annotations. */
export interface AnnotationsStorageOptions {
  /** The domain-like part before the slash of the annotations' keys. @default kopf.zalando.org */
  prefix?: string;
  /**
   * Prefixes that were in use before: state under them is read where there is none under the prefix, and is moved there with the next patch
   * of the object. @default none
   */
  formerPrefixes?: readonly string[];
  /** Keeps state also under the keys of older versions of Kopf (V1). @default true */
  v1?: boolean;
  /** Called if the prefix is too long, and when stored state is unreadable. @default nothing */
  onWarning?: WarningCallback;
}

/** Options of the storages in the status. */
export interface StatusStorageOptions {
  /** Replaces `{name}` in the fields. @default kopf */
  name?: string;
}

/**
 * Converts a field of the status storages to its path, with `{name}` replaced in strings.
 *
 * @throws TypeError if the field is not inside of the status, the spec, or the metadata.
 */
export function parseStorageField(field: FieldSpec, name: string): FieldPath {
  const path = parseFieldPath(typeof field === 'string' ? field.replaceAll('{name}', name) : field);
  if (path.length < 2 || !['status', 'spec', 'metadata'].includes(path[0])) {
    throw new TypeError(`A storage's field must be inside of the status. Got ${JSON.stringify(field)}.`);
  }
  return path;
}

/** Sets a field of the status, the spec, or the metadata in a patch. */
export function setInPatch(patch: Patch, path: FieldPath, value: unknown): void {
  setField(partOf(patch, path), path.slice(1), value);
}

/** Takes a field of the status, the spec, or the metadata out of a patch, as if it was never set. */
export function removeFromPatch(patch: Patch, path: FieldPath): void {
  removeField(partOf(patch, path), path.slice(1));
}

function partOf(patch: Patch, [root]: FieldPath): JsonMap {
  return patch[root as 'status' | 'spec' | 'metadata'] as JsonMap;
}

/** An object's essence does not fit into its annotations, of which Kubernetes accepts 256 KiB in all. */
export class EssenceTooLargeError extends KopfError {
  readonly code = 'KOPF_ESSENCE_TOO_LARGE';

  /** @param size the size of all annotations, in bytes, that storing the essence would lead to. */
  constructor(readonly size: number) {
    super(
      `The essence does not fit into the annotations, which would have ${size} bytes, and 262144 are possible. ` +
        "Keep its hash instead with the option oversize: 'hash', or ignore large fields.",
    );
  }
}
