import { stringifyJson } from '../common/exact-json.js';
import type { KubeObject } from '../resources/kube-object.js';

/** One state of an object, as it is stored at one revision; its JSON is made once and shared by all who send it. */
export class StoredObject {
  constructor(
    readonly object: KubeObject,
    readonly revision: number,
    private text?: string,
  ) {}

  get namespace(): string {
    return this.object.metadata.namespace ?? '';
  }

  get name(): string {
    return this.object.metadata.name ?? '';
  }

  get json(): string {
    return (this.text ??= stringifyJson(this.object));
  }
}

/** Gives the state that an object has once it is written at a revision. */
export function storedAt(object: KubeObject, revision: number): StoredObject {
  return new StoredObject(
    { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } } as KubeObject,
    revision,
  );
}

/** The one who has asked for a write. */
export interface WriteCause {
  /** The name of the user. */
  readonly user: string;
  /** The name that the client gives itself; empty if it gives none. */
  readonly userAgent: string;
}

/** A change of one object. */
export interface StorageEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The collection: the plural with its group. */
  readonly collection: string;
  readonly revision: number;
  /** The new state; of a deleted object the last one, at the revision of the deletion. */
  readonly current: StoredObject;
  /** The state before; absent for `ADDED`. */
  readonly previous?: StoredObject;
  /** The one who has asked for it, where that is kept: the parts of the server itself, and requests while they are recorded. */
  readonly cause?: WriteCause | undefined;
}

/** Told of each change, in the order of revisions. */
export type StorageListener = (event: StorageEvent) => void;
