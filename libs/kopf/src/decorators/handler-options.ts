import type { AdmissionOperation, MatchCondition } from '../reviews/admission.review.js';
import type { EventContext } from '../contexts/contexts.interface.js';
import type { AdmissionFilterContext, ObjectContext } from '../contexts/filter-contexts.interface.js';
import type { ValueFilter, ObjectFilters, FieldFilter } from '../contexts/filter-options.js';
import type {
  HandlerOptions,
  RetryOptions,
  WatchOptions,
  CreateOptions,
  UpdateOptions,
} from '../contexts/change-options.js';

/** Options of `@OnStartup`, `@OnCleanup`, `@OnLogin`, and `@OnProbe`. */
export type ActivityOptions = RetryOptions;

/** Options of `@OnEvent`. Errors of such handlers are logged and ignored; there are no retries. */
export interface EventOptions
  extends HandlerOptions, WatchOptions, ObjectFilters<EventContext | ObjectContext>, FieldFilter<ObjectContext> {}

/** Options of `@OnField`: called for a creation, too, if the field is there. */
export interface FieldOptions extends UpdateOptions {
  field: string | readonly string[];
}

/** Options of `@OnDelete`. */
export interface DeleteOptions extends CreateOptions {
  /** Lets objects be deleted without a call of the handler: then no finalizer is set for it. @default false */
  optional?: boolean;
}

/** Options of `@OnResume`. */
export interface ResumeOptions extends CreateOptions {
  /** Calls the handler also for an object that is being deleted when the operator starts. @default false */
  deleted?: boolean;
}

/** Seconds, or a function that says them for an object; it is called once, when the handler starts for the object. */
export type InitialDelay = number | ((context: ObjectContext) => number);

/** Options that daemons and timers have in common. */
export interface BackgroundOptions
  extends RetryOptions, WatchOptions, ObjectFilters<ObjectContext>, FieldFilter<ObjectContext> {
  /** Seconds until the start, once after the object appeared or the operator started. @default none */
  initialDelay?: InitialDelay;
}

/** Options of `@Daemon`. */
export interface DaemonOptions extends BackgroundOptions {
  /**
   * Holds the object by the finalizer until the handler has ended. With `false`, the object goes at once, and the handler is asked to stop when
   * the operator sees that the object is being deleted or has gone. @default true
   */
  finalizer?: boolean;
  /** Seconds between `stopped` being set and `signal` being aborted. @default none */
  cancellationBackoff?: number;
  /** Seconds after `signal` was aborted until the daemon is abandoned and the object released. @default it is waited for */
  cancellationTimeout?: number;
  /** Sets how often a daemon that does not exit is checked, in seconds. @default the setting `background.cancellationPolling` */
  cancellationPolling?: number;
}

/** Options of `@Timer`; with none of `interval`, `idle`, and `cron` it is invoked once. */
export interface TimerOptions extends BackgroundOptions, Pick<DaemonOptions, 'finalizer'> {
  /** Seconds from the end of one invocation to the beginning of the next one. */
  interval?: number;
  /** Counts the interval from the beginning of the invocation; slots that were missed are left out. @default false */
  sharp?: boolean;
  /** Seconds for which the object must not have changed essentially; the creation is a change, too. */
  idle?: number;
  /**
   * A cron expression for the times of the invocations, instead of `interval` and `idle`: five fields, six with seconds first, or a name such
   * as `@daily`. Times that pass during an invocation, or while the operator does not work, are left out.
   *
   * @example '0 3 * * MON-FRI'
   */
  cron?: string;
  /** The time zone of `cron`, by its name in the IANA database: `Europe/Berlin`. @default 'UTC' */
  timeZone?: string;
}

/** Options of handlers that are called when related objects change. */
export interface RelatedOptions extends BackgroundOptions {
  /** Seconds for which changes are collected before the handler is called. @default 0.1 */
  batchWindow?: number;
}

/** Options of `@OnChild`. */
export interface ChildOptions extends RelatedOptions {
  /** Counts the generations: with 2, children of children are children, too, as pods are of deployments. @default 1 */
  depth?: number;
  /** Takes only those for children that the parent controls, and not those that it owns beside others. @default true */
  controller?: boolean;
}

/** Options of `@OnReference`. */
export interface ReferenceOptions extends RelatedOptions {
  /** Names a condition in the status that the operator sets: `True` if all objects exist that are referred to. @default none */
  condition?: string;
}

/** Options of `@Index`. Arbitrary errors are ignored by default: the values from before are kept. */
export interface IndexOptions
  extends RetryOptions, WatchOptions, ObjectFilters<ObjectContext>, FieldFilter<ObjectContext> {}

/** Options of `@Validate` and `@Mutate`. There are no retries: the API server waits for the answer. */
export interface AdmissionOptions
  extends HandlerOptions, ObjectFilters<AdmissionFilterContext>, FieldFilter<AdmissionFilterContext> {
  /** The only operation that the handler is for. @default all */
  operation?: AdmissionOperation;
  /** The operations that the handler is for. A mutating handler is called for deletions only if it is for nothing else. @default all */
  operations?: readonly AdmissionOperation[];
  /** The subresource that the handler is for: `status`, `scale`; or `*` for the object itself and all subresources. @default the object itself only */
  subresource?: string;
  /** Keeps the webhook in the managed configuration when the operator stops, so that nothing passes unseen. @default false */
  persistent?: boolean;
  /** Declares that the handler has side effects, though never in dry runs. @default false */
  sideEffects?: boolean;
  /** Lets requests pass if the operator cannot be reached. It does not matter for what the handler rejects. @default false */
  ignoreFailures?: boolean;
  /**
   * Asks the handler also about updates in which the operator changes nothing but its own state: its finalizer, its annotations, and its fields
   * of the status. Otherwise, they pass, so that objects which do not satisfy a rule can be handled and deleted. @default false
   */
  ownUpdates?: boolean;
  /** Requires a value of the field in the stored object. */
  old?: ValueFilter<AdmissionFilterContext>;
  /** Requires a value of the field in the new object. */
  new?: ValueFilter<AdmissionFilterContext>;
  /**
   * Has the API server check conditions before it calls the managed webhook; all of them must be true. The operator does not
   * check them.
   */
  matchConditions?: readonly MatchCondition[];
}

/** Options of `@Validate`. */
export interface ValidateOptions extends AdmissionOptions {
  /**
   * A class with rules of class-validator, which the `spec` must satisfy before the method is called. It is not checked in deletions,
   * for subresources, and for objects that are being deleted, as their finalizers must go.
   */
  dto?: new () => object;
}

/** Options of `@Mutate`. */
export type MutateOptions = AdmissionOptions;
