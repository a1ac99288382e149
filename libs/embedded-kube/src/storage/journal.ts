import type { KubeObject } from '../resources/kube-object.js';
import type { StoredObject } from './stored.object.js';

/** The record of changes, which are written before they are acknowledged. */
export interface Journal {
  /** Reads everything back, in the order of writing. Called once, before anything is appended. */
  replay(visitor: JournalVisitor): void;
  /** Writes a change; when it returns, the change survives the end of the process. Throws if it could not be written. */
  append(collection: string, object: StoredObject, deleted: boolean): void;
  /** Rewrites the journal from the live objects, if it has grown too much. */
  compact(revision: number, live: () => Iterable<readonly [collection: string, object: StoredObject]>): void;
  /** Rewrites the journal from the live objects, which differ from the recorded ones. Throws if they could not be written. */
  rewrite(revision: number, live: () => Iterable<readonly [collection: string, object: StoredObject]>): void;
  close(): void;
}

/** A visitor of the content of a journal. */
export interface JournalVisitor {
  /** Called with the revision up to which the journal holds only the last states: no history is known before it. */
  base(revision: number): void;
  /** Called with an object as it was stored; for a deletion with its last state. */
  change(collection: string, object: KubeObject, revision: number, deleted: boolean): void;
}

/** A journal of a server without a data folder. */
export class NullJournal implements Journal {
  replay(): void {}
  append(): void {}
  compact(): void {}
  rewrite(): void {}
  close(): void {}
}
