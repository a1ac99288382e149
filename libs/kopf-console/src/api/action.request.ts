import type { ObjectIdentity } from 'nestjs-kopf/inspection';

/**
 * The actions that a viewer can request. Each is a verb in SubjectAccessReviews: group `console.kopf.dev`, resource `handlings`.
 *
 * - `retry`: a waiting handler is called now
 * - `postpone`: a waiting handler is called in so many seconds
 * - `complete`: a handler counts as succeeded, and is not called any more
 * - `repeat`: handlers that have failed for good are called again
 * - `release`: the operator's finalizer is removed from an object that is being deleted
 * - `pause`, `resume`: the operator takes no more events, or works again
 * - `memo`: the memo of an object is shown
 * - `logs`: the last lines of the pods are shown that an object owns
 */
export type ConsoleAction =
  'retry' | 'postpone' | 'complete' | 'repeat' | 'release' | 'pause' | 'resume' | 'memo' | 'logs';

/** The request of an action: `POST api/actions/{action}`. */
export interface ConsoleActionRequest {
  /** @default the first operator */
  readonly operator?: string;
  /** The object; needed for all actions but `pause` and `resume`. */
  readonly object?: ObjectIdentity;
  /** The id of the handler, of `retry`, `postpone`, and `complete`. @default all handlers that wait, but not for `complete`, which needs one */
  readonly handler?: string;
  /** Seconds from now on, of `postpone`. */
  readonly seconds?: number;
  /** Is shown to others: in the Kubernetes event, or as the reason of a pause. */
  readonly reason?: string;
  /** Whether the answer only says what would be done. @default true */
  readonly dryRun?: boolean;
}

/** The answer to an action: what was done, or what would be done. */
export interface ConsoleActionAnswer {
  readonly dryRun: boolean;
  /** The sentence about what is done. */
  readonly text: string;
  /** The patch that is sent, if there is one. */
  readonly patch?: unknown;
  /** Is false for dry runs, and if there was nothing to do. */
  readonly done: boolean;
  /** The memo, redacted, of `memo`; a list of {@link ContainerLog} of `logs`. */
  readonly result?: unknown;
}

/** The last lines of a container's log. */
export interface ContainerLog {
  readonly pod: string;
  readonly container: string;
  /** Absent if the log could not be read. */
  readonly text?: string;
  /** The reason why it could not be read. */
  readonly problem?: string;
}
