import type { StoredObject } from './stored.object.js';

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
}

/** Told of each change, in the order of revisions. */
export type StorageListener = (event: StorageEvent) => void;
