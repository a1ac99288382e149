import type { OperatorEvent } from '../event-log/operator.event.js';
import type { InspectedObject, ObjectIdentity, InspectedProgress } from './inspected.object.js';

/**
 * One node of the tree of objects that belong together: by owner references, or by `@References()`, in which a `reference` is an object that
 * this one names, and a `referrer` one that names this one.
 */
export interface InspectedRelative extends ObjectIdentity {
  readonly relation: 'owner' | 'child' | 'reference' | 'referrer';
  /** Whether the object does not exist, though another one refers to it. */
  readonly missing?: boolean;
  /** Whether the object is ready, as its conditions say; absent if they say nothing. */
  readonly ready?: boolean;
}

/** One field that has changed since the object was handled last. */
export interface InspectedChange {
  readonly operation: 'add' | 'change' | 'remove';
  /** The names of the field and of its parents. */
  readonly path: readonly string[];
  /** Is `null` if the field was absent. */
  readonly old: unknown;
  /** Is `null` if the field is absent now. */
  readonly new: unknown;
}

/** One finalizer, and its owner, which removes it. */
export interface InspectedFinalizer {
  readonly name: string;
  readonly owner: 'operator' | 'others';
  /** The reason why an object that is being deleted still exists. */
  readonly reason?: string;
}

/** One sentence of `kopf explain`. */
export interface InspectedFinding {
  /** A stable name, for programs. */
  readonly code: string;
  /** The sentence; a time in it is in UTC: `2026-01-31T12:00:00.000Z`. */
  readonly text: string;
  /** The time in the sentence, in milliseconds since the epoch, for readers who want to see it differently. */
  readonly at?: number;
  /** What would change it, in a sentence; absent if nothing has to change. */
  readonly remedy?: string;
  /** Whether it needs attention. */
  readonly problem?: boolean;
}

/** The filter because of which a handler is not called, with the value that it wants and the value that it finds. */
export interface InspectedExclusion {
  /** The name of the option: `labels`, `annotations`, `field`, `value`, `when`. */
  readonly filter: string;
  /** The label, the annotation, or the field. */
  readonly key?: string;
  readonly wanted: unknown;
  readonly actual?: unknown;
}

/** The result of matching a handler of the object's resource with it: whether it is called, and if not, why. */
export interface InspectedHandlerMatch {
  readonly kind: string;
  readonly id: string;
  /** The method: `PodOperator.create`. */
  readonly source: string;
  readonly matches: boolean;
  readonly exclusion?: InspectedExclusion;
}

/** One Kubernetes event about an object. */
export interface InspectedEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** When it has happened last, in milliseconds since the epoch. */
  readonly at: number;
  readonly count: number;
  /** The component that has reported it. */
  readonly source: string;
}

/** A daemon or a timer of an object. */
export interface InspectedBackgroundRun {
  /** The handler's id. */
  readonly handler: string;
  readonly kind: 'daemon' | 'timer';
  readonly state: string;
  /** When a timer is called next, in milliseconds since the epoch. */
  readonly nextAt?: number;
}

/** The details of one object: `GET api/objects/{resource}/{namespace|-}/{name}`. */
export interface InspectedObjectDetails {
  readonly object: InspectedObject;
  /** The object as it is; values of Secrets and of redacted fields are `***`, managed fields are left out. Absent if it cannot be read. */
  readonly body?: unknown;
  readonly progress: readonly InspectedProgress[];
  /** The ids of the handlers that have failed for good, and can be called again by the change `repeat`. */
  readonly repeatable: readonly string[];
  /** The differences between the object as it was handled last and as it is. */
  readonly changes: readonly InspectedChange[];
  readonly finalizers: readonly InspectedFinalizer[];
  readonly findings: readonly InspectedFinding[];
  /** Empty if the handlers are not known, as those of an operator that runs elsewhere. */
  readonly handlers: readonly InspectedHandlerMatch[];
  /** The bounded history of the object, oldest first: changes, calls, outcomes. */
  readonly events: readonly OperatorEvent[];
  /** When the time of the events began, in milliseconds since the epoch. */
  readonly beganAt?: number;
  /** The Kubernetes events about it, newest first. */
  readonly kubernetesEvents: readonly InspectedEvent[];
  readonly relatives: readonly InspectedRelative[];
  readonly daemons: readonly InspectedBackgroundRun[];
  /** A link to the trace of the last attempt; absent without the option `traceUrl`. */
  readonly trace?: string;
}
