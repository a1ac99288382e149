import type { ErrorHandler } from './on-error.decorator.js';
import type { AdmissionOperation, MatchCondition } from '../reviews/admission.review.js';
import type {
  AdmissionFilterContext,
  ChangeFilterContext,
  EventContext,
  ObjectContext,
} from '../contexts/contexts.interface.js';
import type { SelectorParts } from '../resources/selectors.js';
import type { ResourceDeclaration } from '../resources/object-class.js';
import type { ObjectSelectorOptions } from '../resources/object-selector.js';

/** Requires the label, annotation, or field to be present, with any value. */
export const PRESENT: unique symbol = Symbol.for('nestjs-kopf.PRESENT');

/** Requires the label, annotation, or field to be absent. */
export const ABSENT: unique symbol = Symbol.for('nestjs-kopf.ABSENT');

/** Decides whether a handler is for the object. It must be fast and have no side effects: it is called for every event. */
export type WhenFilter<Context> = (context: Context) => boolean;

/** Decides on one value, which is `undefined` if the field is absent. */
export type ValueCallback<Context, Value = any> = (value: Value | undefined, context: Context) => boolean;

/** Requires a value to be equal, to be present, to be absent, or to satisfy a callback. */
export type ValueFilter<Context> =
  typeof PRESENT | typeof ABSENT | ValueCallback<Context> | string | number | bigint | boolean | object;

/** Requires values of labels or annotations by their names. */
export type MetadataFilter<Context> = Readonly<
  Record<string, string | typeof PRESENT | typeof ABSENT | ValueCallback<Context, string>>
>;

/**
 * Names the treatment of errors that are neither `TemporaryError` nor `PermanentError`: they are retried, final, or taken as a
 * success.
 */
export type ErrorsMode = 'temporary' | 'permanent' | 'ignored';

/** Options that every handler has. */
export interface HandlerOptions {
  /** Identifies the handler in logs and in what is stored; must not change between versions. @default the method's name */
  id?: string;
  /** Anything that is passed to the handler, so that one method can serve several decorators. */
  param?: unknown;
  /**
   * Decides on errors that the handler throws: a function, or the name of a method of its class. @default that of `@OnError()` on the class, or
   * nothing does
   */
  onError?: ErrorHandler | string;
  /**
   * Names the operator that calls the handler: that of `KopfModule.forRoot({ name })`. @default that of `@ForOperator()`, or else the operator
   * without a name
   */
  operator?: string;
}

/** Options of handlers that are retried. */
export interface RetryOptions extends HandlerOptions {
  /** Decides how arbitrary errors are treated. @default 'temporary' */
  errors?: ErrorsMode;
  /** Seconds from the first attempt after which the handler fails for good. @default no limit */
  timeout?: number;
  /** Limits the number of attempts. @default no limit */
  retries?: number;
  /** Seconds until the next attempt after an arbitrary error. @default the setting `execution.defaultBackoff` */
  backoff?: number;
}

/** Options that choose the objects by their metadata or by a callback. */
export interface ObjectFilters<Context> {
  labels?: MetadataFilter<Context>;
  annotations?: MetadataFilter<Context>;
  /** Called last of all filters. */
  when?: WhenFilter<Context>;
}

/** Options that choose the objects by a field. */
export interface FieldFilter<Context = ChangeFilterContext> {
  /** A field's path: `'spec.field'` or `['metadata', 'labels', 'a.b/c']`. Becomes a part of the handler's id. */
  field?: string | readonly string[];
  /** Requires a value of the field, before or after a change. @default PRESENT */
  value?: ValueFilter<Context>;
}

/** A resource whose objects are the parents of others, and how they are read. */
export interface ParentOptions {
  readonly resource: string | SelectorParts | ResourceDeclaration;
  /** Reads the parent before each call. @default false: it is as new as the operator's watch of its metadata */
  readonly fresh?: boolean;
}

/** Options that choose the objects before they are sent. */
export interface WatchOptions {
  /**
   * Calls the handler only for objects that are controlled by an object of this resource, by their owner references; the context has it
   * as `parent`.
   */
  ownedBy?: string | SelectorParts | ResourceDeclaration | ParentOptions;
  /**
   * Selects the objects that the handler is for, by labels and fields. The API server evaluates what the handlers of a resource
   * have in common, and sends no other objects. An object that leaves the selector is treated as one that does not match other
   * filters any more.
   */
  selector?: ObjectSelectorOptions;
}

export type ChangeFilters = ObjectFilters<ChangeFilterContext>;

/** Options of `@OnStartup`, `@OnCleanup`, `@OnLogin`, and `@OnProbe`. */
export type ActivityOptions = RetryOptions;

/** Options of `@OnEvent`. Errors of such handlers are logged and ignored; there are no retries. */
export interface EventOptions
  extends HandlerOptions, WatchOptions, ObjectFilters<EventContext | ObjectContext>, FieldFilter<ObjectContext> {}

/** Options of `@OnCreate`. */
export interface CreateOptions extends RetryOptions, WatchOptions, ChangeFilters, FieldFilter {
  /**
   * Aborts the `signal` of the running handler when its object is marked for deletion or goes, or also when it is changed by anybody but the
   * operator. A handler that ends with the error of the signal is called again at once, if it is still for the object then. @default never
   */
  abortOn?: 'deletion' | 'change';
}

/** Options of `@OnUpdate`: if there is a `field`, it must have changed. */
export interface UpdateOptions extends CreateOptions {
  /** Requires a value of the field before the change. */
  old?: ValueFilter<ChangeFilterContext>;
  /** Requires a value of the field after the change. */
  new?: ValueFilter<ChangeFilterContext>;
}

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
