/**
 * What a watch is doing.
 *
 * * `idle`: it was not started yet.
 * * `listing`: it gets all objects that there are.
 * * `watching`: it is connected, and changes come as they happen.
 * * `backingOff`: something failed, and it tries again after a pause.
 * * `forbidden`: it is not permitted, and it tries again after a pause.
 * * `gone`: the server does not serve the resource, and it tries again after a pause.
 * * `paused`: it was stopped for the time being; it lists again when it is started again.
 * * `stopped`: it was stopped.
 */
export type WatchState = 'idle' | 'listing' | 'watching' | 'backingOff' | 'forbidden' | 'gone' | 'paused' | 'stopped';

/** The state of one watch at one moment; times are in milliseconds since the epoch. */
export interface WatchStatus {
  readonly state: WatchState;
  /** When it came into the state. */
  readonly since: number;
  /** When anything came last, a bookmark included. */
  readonly lastEventAt?: number;
  /** How many times it was connected again or listed again, for whatever reason. */
  readonly restarts: number;
  /** What went wrong last; absent once it works again. */
  readonly lastError?: unknown;
  /** The version up to which everything was seen. */
  readonly resourceVersion?: string;
  /** How many objects there are. */
  readonly objects: number;
}
