// state: what an operator stores on objects: finalizer, progress of handlers, last handled essence, and their annotations. The format is
// Kopf's to the byte, as either operator continues with objects of the other one. This folder only reads state from bodies and adds it to
// patches; handling/ decides when.
// May import: common, objects, resources.

import { type Essence, removeStatusState } from '../objects/essences.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import { parseFieldPath, type FieldPath, type FieldSpec, removeField, setField } from '../objects/field-path.js';
import type { JsonMap } from 'kube-common';
import { KopfError } from '../common/kopf.errors.js';

/** The purpose of a handler's calls, as it is stored with its progress. */
export type HandlingPurpose = 'create' | 'update' | 'delete' | 'resume';

/**
 * The stored progress of one handler of one object. Time stamps are in UTC with microseconds: `2020-12-31T23:59:59.123456+00:00`.
 *
 * The names, the order, and the format are Kopf's, as either operator must be able to continue with objects of the other one.
 */
export interface ProgressRecord {
  started?: string | null;
  stopped?: string | null;
  /** The time at which the next attempt is due. */
  delayed?: string | null;
  purpose?: string | null;
  /** The number of attempts. */
  retries?: number | null;
  success?: boolean | null;
  failure?: boolean | null;
  /** The error of the last attempt. */
  message?: string | null;
  /** The ids of the sub-handlers of all levels. */
  subrefs?: readonly string[] | null;
  /**
   * The essence, as JSON, that the handler has finished with, or since which changes are shown to it; only with `execution.lateChanges:
   * 'repeat'`. Kopf ignores it.
   */
  handled?: string | null;
  /**
   * The essence, as JSON, that the last unfinished attempt was made with; only with `execution.lateChanges: 'repeat'`. For handlers of
   * children and references, it is a fingerprint of the states of these.
   */
  tried?: string | null;
  /**
   * The `traceparent` (W3C Trace Context) of the last unfinished attempt; only with the option `storeTraceparent` of `KopfTracingModule`.
   * Kopf ignores it.
   */
  traceparent?: string | null;
}

/** The members of a record that Kopf does not know. They are present only if they are in use. */
export type Addition = 'handled' | 'tried' | 'traceparent';

/** The storage of the progress of handlers on the object, so that handling continues after a restart. */
export interface ProgressStorage {
  /** Reads the record of a handler; `undefined` if it is absent or unreadable. */
  fetch(key: string, body: KubeObject): ProgressRecord | undefined;
  /** Adds the record of a handler to the patch. */
  store(key: string, record: ProgressRecord, body: KubeObject, patch: Patch): void;
  /** Removes the record of a handler, if it is in the object or in the patch. */
  purge(key: string, body: KubeObject, patch: Patch): void;
  /** Marks the object as {@link store} does, for objects whose handlers finish at once, so that no record is stored. @default not at all */
  mark?(body: KubeObject, patch: Patch): void;
  /** Makes a change without a meaning, so that a new event comes; `null` removes the change, if there is one. */
  touch(value: string | null, body: KubeObject, patch: Patch): void;
  /** Removes the storage's own fields from an essence. The essence is the storage's to change in place. */
  clear(essence: Essence): Essence;
  /** Returns the fields of an object that the storage uses and {@link clear} does not remove. @default none */
  ownFields?(body: KubeObject): readonly FieldPath[];
}

/** The storage of an object's essence as it was handled last, for comparison. */
export interface DiffBaseStorage {
  /** Builds the essence of an object: a deep copy without what is not essential, but with the extra fields. */
  build(body: KubeObject, extraFields: readonly (readonly string[])[]): Essence;
  /** Reads the stored essence; `undefined` if the object was never handled. */
  fetch(body: KubeObject): Essence | undefined;
  /** Adds the essence to the patch. */
  store(body: KubeObject, patch: Patch, essence: Essence): void;
  /** Whether the object is a copy of another one, so that its stored essence and progress do not count. @default never */
  isCopied?(body: KubeObject): boolean;
  /**
   * Conceals values of an essence that is stored elsewhere on the object, such as in the progress of handlers.
   * @default the essence is unchanged
   */
  conceal?(essence: Essence, body: KubeObject): Essence;
  /** Reverts {@link conceal} for the values that have not changed since. @default the essence is unchanged */
  reveal?(essence: Essence, body: KubeObject): Essence;
  /** Moves an essence that is stored under a former name to the present name. @default there are no former names */
  migrate?(body: KubeObject, patch: Patch): void;
  /**
   * Marks an object with progress, but without a stored essence yet, by its uid, so that copies of it are recognised.
   * @default not at all
   */
  claim?(body: KubeObject, patch: Patch): void;
  /**
   * Returns the fields of an object in which the storage stores the essence, so that reviews recognise the operator's own updates.
   * @default none: those updates are reviewed like those of users
   */
  ownFields?(body: KubeObject): readonly FieldPath[];
}

/** The storages of an operator. */
export interface StateStorages {
  readonly diffbaseStorage: Pick<DiffBaseStorage, 'build'>;
  readonly progressStorage: Pick<ProgressStorage, 'clear'>;
}

/** Builds the essence of an object as it is compared and stored: without the state of this operator and of others. */
export function presentEssence(body: KubeObject, extraFields: readonly FieldPath[], storages: StateStorages): Essence {
  return withoutState(storages.diffbaseStorage.build(body, extraFields), extraFields, storages);
}

/** Removes the state of operators from an essence, in place. Python Kopf does not remove the state of other operators in the status. */
export function withoutState(
  essence: Essence,
  extraFields: readonly FieldPath[],
  { progressStorage }: Pick<StateStorages, 'progressStorage'>,
): Essence {
  removeStatusState(essence, extraFields);
  return progressStorage.clear(essence);
}

/** Receives a warning about the setup of a storage, or about the state in an object. */
export type WarningCallback = (message: string, body?: KubeObject) => void;

/** The default prefix of annotations; Kopf's. */
export const DEFAULT_PREFIX = 'kopf.zalando.org';

/** The options of storages in annotations. */
export interface AnnotationsStorageOptions {
  /** The domain-like part before the slash of the annotations' keys. @default kopf.zalando.org */
  prefix?: string;
  /**
   * Former prefixes: state under them is read if there is none under the prefix, and is moved to the prefix with the next patch of the
   * object.
   * @default none
   */
  formerPrefixes?: readonly string[];
  /** Whether state is also stored under the keys of older versions of Kopf (V1). @default true */
  v1?: boolean;
  /** Called if the prefix is too long, and when stored state is unreadable. @default nothing */
  onWarning?: WarningCallback;
}

/** The options of storages in the status. */
export interface StatusStorageOptions {
  /** The replacement of `{name}` in the fields. @default kopf */
  name?: string;
}

/**
 * Converts a field of a storage in the status to its path, with `{name}` replaced in strings.
 *
 * @throws TypeError if the field is not in the status, the spec, or the metadata.
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

/** Removes a field of the status, the spec, or the metadata from a patch, as if it had never been set. */
export function removeFromPatch(patch: Patch, path: FieldPath): void {
  removeField(partOf(patch, path), path.slice(1));
}

function partOf(patch: Patch, [root]: FieldPath): JsonMap {
  return patch[root as 'status' | 'spec' | 'metadata'] as JsonMap;
}

/** The error of an essence that does not fit into the annotations of its object, of which Kubernetes accepts 256 KiB in all. */
export class EssenceTooLargeError extends KopfError {
  readonly code = 'KOPF_ESSENCE_TOO_LARGE';

  /** @param size the size of all annotations with the essence, in bytes */
  constructor(readonly size: number) {
    super(
      `The essence does not fit into the annotations, which would have ${size} bytes, and 262144 are possible. ` +
        "Keep its hash instead with the option oversize: 'hash', or ignore large fields.",
    );
  }
}
