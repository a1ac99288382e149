import type { ObjectIdentity, InspectedProgress } from './inspected.object.js';

/** An object on which handlers work at this moment. */
export interface OngoingCall extends ObjectIdentity {
  /** The id of the handler that runs; absent if none runs, or if it is not known. */
  readonly handler?: string;
  /** When the work has begun, in milliseconds since the epoch. */
  readonly since: number;
  /** The number of the attempt, from 1 on. */
  readonly attempt?: number;
  /** Whether it has lasted for more than a minute, and nothing else is done for the object until it ends. */
  readonly isStuck?: boolean;
  /** What waits until a stuck call ends. */
  readonly behind?: {
    /** The number of changes of the object that were not looked at yet. */
    readonly events: number;
    /** The ids of the other handlers that are to be called. */
    readonly handlers: readonly string[];
  };
}

/** A handler that is called for an object later. */
export interface WaitingCall extends ObjectIdentity, InspectedProgress {}

/**
 * The kinds of failures. `failed`: a handler has failed for good, and is not called again; `stuck`: something is to be done, and nothing does
 * it; `retrying`: a handler is called again later.
 */
export type FailureKind = 'failed' | 'stuck' | 'retrying';

/** Objects on which a handler fails with the same error, or which are stuck for the same reason; numbers and names of objects in it are folded to `…`. */
export interface FailureGroup {
  readonly kind: FailureKind;
  readonly error: string;
  /** Absent if it is no handler that has failed, but the framework itself, or if no operator is at work. */
  readonly handler?: string;
  /** At most 20 of the objects. */
  readonly objects: readonly ObjectIdentity[];
  /** The number of all of the objects. */
  readonly count: number;
  /** When the first of these objects has begun to fail, in milliseconds since the epoch; absent if it is not known. */
  readonly firstAt?: number;
  /** When the last attempt has failed, in milliseconds since the epoch; absent if it is not known. */
  readonly lastAt?: number;
}

/** The present activity: `GET api/now`. Each list has at most 100 entries. */
export interface OperatorActivity {
  /** The time of the answer, in milliseconds since the epoch. */
  readonly now: number;
  /** The longest work first. */
  readonly inWork: readonly OngoingCall[];
  /** In the order in which they are due. */
  readonly waiting: readonly WaitingCall[];
  /** Permanent failures first, then what is stuck, then what is retried; in each, the errors of the most objects first. */
  readonly failing: readonly FailureGroup[];
  /** The numbers of handlers in work, handlers that wait, objects that fail or are stuck, and of these, objects that have failed for good. */
  readonly totals: {
    readonly inWork: number;
    readonly waiting: number;
    readonly failing: number;
    readonly failed: number;
    readonly stuck: number;
  };
}
