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
  /** Whether objects can be deleted without a call of the handler: then no finalizer is set for it. @default false */
  optional?: boolean;
}

/** Options of `@OnResume`. */
export interface ResumeOptions extends CreateOptions {
  /** Whether the handler is called also for an object that is being deleted when the operator starts. @default false */
  deleted?: boolean;
}

/** Seconds, or a function that returns them for an object; it is called once, when the handler starts for the object. */
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
   * Whether the finalizer keeps the object until the handler has ended. With `false`, the object is deleted at once, and the handler is
   * asked to stop when the operator sees that the object is being deleted or has gone. @default true
   */
  finalizer?: boolean;
  /** Seconds between `stopped` being set and `signal` being aborted. @default none */
  cancellationBackoff?: number;
  /** Seconds after `signal` was aborted until the daemon is abandoned and the object released. @default no limit */
  cancellationTimeout?: number;
  /** Seconds between the checks of a daemon that does not exit. @default the setting `background.cancellationPolling` */
  cancellationPolling?: number;
}

/** Options of `@Timer`; with none of `interval`, `idle`, and `cron` it is invoked once. */
export interface TimerOptions extends BackgroundOptions, Pick<DaemonOptions, 'finalizer'> {
  /** Seconds from the end of one invocation to the beginning of the next one. */
  interval?: number;
  /** Whether the interval begins with the start of the invocation; missed invocations are skipped. @default false */
  sharp?: boolean;
  /** Seconds for which the essence of the object must not have changed; the creation counts as a change. */
  idle?: number;
  /**
   * A cron expression for the times of the invocations, instead of `interval` and `idle`: five fields, six with seconds first, or a name
   * such as `@daily`. Times that pass during an invocation, or while the operator is not running or pauses, are skipped.
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
  /** The number of generations: with 2, children of children are children, too, as pods are of deployments. @default 1 */
  depth?: number;
  /** Whether only objects that the parent controls are children, and not those that it owns without controlling them. @default true */
  controller?: boolean;
}

/** Options of `@OnReference`. */
export interface ReferenceOptions extends RelatedOptions {
  /** The type of a condition in the status that the operator sets: `True` if all referenced objects exist. @default none */
  condition?: string;
}

/** Options of `@Index`. Arbitrary errors are ignored by default: the values from before are kept. */
export interface IndexOptions
  extends RetryOptions, WatchOptions, ObjectFilters<ObjectContext>, FieldFilter<ObjectContext> {}

/** Options of `@Validate` and `@Mutate`. There are no retries, as the API server waits for the answer. */
export interface AdmissionOptions
  extends HandlerOptions, ObjectFilters<AdmissionFilterContext>, FieldFilter<AdmissionFilterContext> {
  /** The only operation that the handler is for. @default all */
  operation?: AdmissionOperation;
  /**
   * The operations that the handler is for. A mutating handler is called for deletions only if it is for no other operation. @default all
   */
  operations?: readonly AdmissionOperation[];
  /** The subresource that the handler is for: `status`, `scale`; or `*` for the object itself and all subresources. @default the object itself only */
  subresource?: string;
  /**
   * Whether the webhook stays in the managed configuration when the operator stops, so that no request passes without a review. @default
   * false
   */
  persistent?: boolean;
  /** Whether the handler has side effects, but never in dry runs. @default false */
  sideEffects?: boolean;
  /** Whether requests pass if the operator cannot be reached. Rejections by the handler are not affected. @default false */
  ignoreFailures?: boolean;
  /**
   * Whether the handler also reviews updates in which the operator changes only its own state: its finalizer, its annotations, and its
   * fields of the status. Otherwise, they pass, so that objects which violate a rule can be handled and deleted. @default false
   */
  ownUpdates?: boolean;
  /** A filter of the field's value in the stored object. */
  old?: ValueFilter<AdmissionFilterContext>;
  /** A filter of the field's value in the new object. */
  new?: ValueFilter<AdmissionFilterContext>;
  /**
   * The conditions that the API server checks before it calls the managed webhook; all of them must be true. The operator does not check
   * them.
   */
  matchConditions?: readonly MatchCondition[];
}

/** Options of `@Validate`. */
export interface ValidateOptions extends AdmissionOptions {
  /**
   * A class with rules of class-validator, which the `spec` must satisfy before the method is called. It is not checked for deletions, for
   * subresources, and for objects that are being deleted, as their finalizers must be removable.
   */
  dto?: new () => object;
}

/** Options of `@Mutate`. */
export type MutateOptions = AdmissionOptions;
