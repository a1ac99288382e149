/**
 * The phase of handling of an object: `idle`: nothing is to be done; `inWork`: its handlers are called; `waiting`: a handler is due later;
 * `failing`: a handler is due later after an error; `failed`: a handler has failed for good; `deleting`: it is being deleted;
 * `stuck`: no operator does what is due, so that it needs attention.
 */
export type ObjectPhase = 'idle' | 'inWork' | 'waiting' | 'failing' | 'failed' | 'deleting' | 'stuck';

/** The reference to an object. */
export interface ObjectIdentity {
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource: string;
  readonly kind: string;
  /** Absent for objects of the cluster. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** The progress of a handler with an object. */
export interface InspectedProgress {
  /** The handler's id. */
  readonly handler: string;
  /** Whether it is a daemon or a timer, of which nothing is stored; absent for handlers of changes. */
  readonly background?: 'daemon' | 'timer';
  /** `begun`: it was called and is not done; `due`: it should be called now; `waiting`: it is called later. */
  readonly state: 'running' | 'succeeded' | 'failed' | 'waiting' | 'due' | 'begun';
  /** The reason of the change that it handles: `create`, `update`, `delete`, `resume`. */
  readonly purpose?: string;
  /** The number of attempts that were made. */
  readonly attempts: number;
  /** When the first attempt began, in milliseconds since the epoch. */
  readonly startedAt?: number;
  /** When the next attempt is due, in milliseconds since the epoch. */
  readonly dueAt?: number;
  /** When the handler has failed for good, in milliseconds since the epoch. */
  readonly failedAt?: number;
  /** The message of the last error. */
  readonly error?: string;
}

/** One row of the list of objects. */
export interface InspectedObject extends ObjectIdentity {
  readonly phase: ObjectPhase;
  /** The most attempts of an unfinished handler. */
  readonly retries: number;
  /** The ids of the handlers that are not finished. */
  readonly handlers: readonly string[];
  /** When the first of them is due, in milliseconds since the epoch. */
  readonly dueAt?: number;
  /** The last error of one of them. */
  readonly error?: string;
  readonly deleting: boolean;
  /** When the object has changed, as far as it was seen, in milliseconds since the epoch. */
  readonly changedAt?: number;
}

/**
 * The columns by which objects are sorted, from the smallest value on: `retries` has the objects with the fewest attempts first, `changed`
 * those whose last change is longest ago, `phase` those that need attention most. With a `-` in front, it is the other way round:
 * `-changed` has the last change first. Objects without a value come last either way.
 */
export type ObjectOrder = 'name' | 'phase' | 'retries' | 'due' | 'changed';

/** The query for a part of the objects: `GET api/objects`, as parameters of the query. All conditions must hold. */
export interface ObjectQuery {
  /** The plural with the group: `deployments.apps`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly phase?: ObjectPhase;
  /** The id of a handler that is not finished. */
  readonly handler?: string;
  /** The least number of attempts. */
  readonly retries?: number;
  readonly deleting?: boolean;
  readonly stuck?: boolean;
  /** A part of `namespace/name`, in any case. */
  readonly search?: string;
  /** @default 'name' */
  readonly sort?: ObjectOrder | `-${ObjectOrder}`;
  /** @default 0 */
  readonly offset?: number;
  /** At most 500. @default 100 */
  readonly limit?: number;
}

/** A part of a list that can be long. */
export interface InspectedPage<T> {
  /** The number of all that match, not only those of this part. */
  readonly total: number;
  readonly offset: number;
  readonly items: readonly T[];
}
