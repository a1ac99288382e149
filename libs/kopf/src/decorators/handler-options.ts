import type { ErrorHandler } from './on-error.decorator.js';
import type { AdmissionOperation, MatchCondition } from '../contexts/admission.interface.js';
import type {
  AdmissionFilterContext,
  ChangeFilterContext,
  EventContext,
  ObjectContext,
} from '../contexts/contexts.interface.js';
import type { ResourceDeclaration, SelectorParts } from '../resources/selectors.js';
import type { ObjectSelectorOptions } from '../resources/object-selector.js';

/** The filter for a label, annotation, or field that is present, with any value. */
export const PRESENT: unique symbol = Symbol.for('nestjs-kopf.PRESENT');

/** The filter for a label, annotation, or field that is absent. */
export const ABSENT: unique symbol = Symbol.for('nestjs-kopf.ABSENT');

/** A filter that decides whether a handler is for the object. It must be fast and have no side effects: it is called for every event. */
export type WhenFilter<Context> = (context: Context) => boolean;

/** A filter of one value, which is `undefined` if the field is absent. */
export type ValueCallback<Context, Value = any> = (value: Value | undefined, context: Context) => boolean;

/** A filter of a value: equal to it, present, absent, or satisfying a callback. */
export type ValueFilter<Context> =
  typeof PRESENT | typeof ABSENT | ValueCallback<Context> | string | number | bigint | boolean | object;

/** Filters of labels or annotations by their names. */
export type MetadataFilter<Context> = Readonly<
  Record<string, string | typeof PRESENT | typeof ABSENT | ValueCallback<Context, string>>
>;

/** The treatment of errors that are neither `TemporaryError` nor `PermanentError`: they are retried, final, or ignored like a success. */
export type ErrorsMode = 'temporary' | 'permanent' | 'ignored';

/** Options that every handler has. */
export interface HandlerOptions {
  /** The id of the handler in logs and in the stored state; must not change between versions. @default the method's name */
  id?: string;
  /** Any value that is passed to the handler, so that one method can serve several decorators. */
  param?: unknown;
  /**
   * The handler of the errors that the method throws: a function, or the name of a method of its class. @default that of `@OnError()` on
   * the class; without it, errors stay as they are
   */
  onError?: ErrorHandler | string;
  /**
   * The name of the operator that calls the handler: `KopfModule.forRoot({ name })`. @default that of `@ForOperator()`, or else the
   * operator without a name
   */
  operator?: string;
}

/** Options of handlers that are retried. */
export interface RetryOptions extends HandlerOptions {
  /** The treatment of arbitrary errors. @default 'temporary' */
  errors?: ErrorsMode;
  /** Seconds from the first attempt after which the handler fails for good. @default no limit */
  timeout?: number;
  /** The most attempts. @default no limit */
  retries?: number;
  /** Seconds until the next attempt after an arbitrary error. @default the setting `execution.defaultBackoff` */
  backoff?: number;
}

/** Options that choose the objects by their metadata or by a callback. */
export interface ObjectFilters<Context> {
  labels?: MetadataFilter<Context>;
  annotations?: MetadataFilter<Context>;
  /** The filter that is called last. */
  when?: WhenFilter<Context>;
}

/** Options that choose the objects by a field. */
export interface FieldFilter<Context = ChangeFilterContext> {
  /** The path of a field: `'spec.field'` or `['metadata', 'labels', 'a.b/c']`. It becomes a part of the handler's id. */
  field?: string | readonly string[];
  /** A filter of the field's value, before or after a change. @default PRESENT */
  value?: ValueFilter<Context>;
}

/** The resource of the parents, and how they are read. */
export interface ParentOptions {
  readonly resource: string | SelectorParts | ResourceDeclaration;
  /** Whether the parent is read before each call. @default false: it is as new as the operator's watch of its metadata */
  readonly fresh?: boolean;
}

/** Options that choose the objects before the API server sends them. */
export interface WatchOptions {
  /**
   * The resource of the parents: the handler is called only for objects that one of them controls, by their owner references; the context
   * has it as `parent`.
   */
  ownedBy?: string | SelectorParts | ResourceDeclaration | ParentOptions;
  /**
   * The objects that the handler is for, by labels and fields. The API server evaluates the requirements that all handlers of a resource
   * have in common, and sends no other objects. An object that leaves the selector is treated like one that does not match other filters
   * any more.
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
   * When the `signal` of a running handler is aborted: once its object is marked for deletion or has gone, or also when anyone except the
   * operator changes it. A handler that ends with the error of the signal is called again at once, if it is still for the object then.
   * @default never
   */
  abortOn?: 'deletion' | 'change';
}

/** Options of `@OnUpdate`: if there is a `field`, it must have changed. */
export interface UpdateOptions extends CreateOptions {
  /** A filter of the field's value before the change. */
  old?: ValueFilter<ChangeFilterContext>;
  /** A filter of the field's value after the change. */
  new?: ValueFilter<ChangeFilterContext>;
}

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
