import type { KubeObject } from '../../objects/kube-object.js';
import type { Resource } from '../../resources/resources.js';
import type { ObjectIdentity } from '../inspection.types.js';

/**
 * A change of how far handlers have come with an object.
 *
 * - `retry`: a handler that waits is called now
 * - `postpone`: a handler that waits is called in so many seconds
 * - `complete`: a handler counts as succeeded, and is not called any more
 * - `repeat`: handlers that have failed for good are called again
 * - `release`: the operator's finalizer is removed from an object that is being deleted
 */
export type HandlingChange = 'retry' | 'postpone' | 'complete' | 'repeat' | 'release';

/** The request of a plan: the change, and the object. */
export interface HandlingPlanRequest {
  readonly change: HandlingChange;
  readonly object: ObjectIdentity;
  /** The id of the handler, of `retry`, `postpone`, and `complete`. @default all handlers that wait, but not for `complete`, which needs one */
  readonly handler?: string;
  /** Seconds from now on, of `postpone`. */
  readonly seconds?: number;
}

/** The patch of an object that would bring a change about. Any operator with Kopf's state would then handle the object accordingly. */
export interface HandlingPlan {
  /** The effect of the change, in a sentence. */
  readonly text: string;
  readonly resource: Resource;
  /** The object for which the plan was made: another version of it may need another plan. */
  readonly body: KubeObject;
  /** The merge patch, with the status in it; absent if there is nothing to change. */
  readonly patch?: Readonly<Record<string, unknown>>;
  /** The patch without values that must not be shown. */
  readonly shownPatch?: unknown;
  /** Whether values of the object must not be shown, not in errors of the API server either. */
  readonly isProtected: boolean;
}

/** An action of a user on the operator or an object, for the event log. */
export interface UserOperation {
  /** The action: `retry create_fn`. */
  readonly text: string;
  readonly user: string;
  readonly object?: ObjectIdentity;
}
