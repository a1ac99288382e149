/**
 * Names the state of a watch.
 *
 * * `idle`: it was not started yet.
 * * `listing`: it gets all objects that there are.
 * * `watching`: it is connected, and changes come as they happen.
 * * `backingOff`: something failed, and it tries again after a pause.
 * * `forbidden`: the operator lacks the permission, and it tries again after a pause.
 * * `gone`: the server does not serve the resource, and it tries again after a pause.
 * * `paused`: it was stopped for the time being; it lists again when it is started again.
 * * `stopped`: it was stopped.
 */
export type WatchState = 'idle' | 'listing' | 'watching' | 'backingOff' | 'forbidden' | 'gone' | 'paused' | 'stopped';

/** Reports the present state of one watch; times are in milliseconds since the epoch. */
export interface WatchStatus {
  readonly state: WatchState;
  /** Tells when it came into the state. */
  readonly since: number;
  /** Tells when the last line came, a bookmark included. */
  readonly lastEventAt?: number;
  /** Counts how many times it was connected again or listed again, for whatever reason. */
  readonly restarts: number;
  /** Holds the last error; absent once it works again. */
  readonly lastError?: unknown;
  /** The version up to which everything was seen. */
  readonly resourceVersion?: string;
  /** Counts the objects that there are. */
  readonly objects: number;
}
