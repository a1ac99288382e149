import type { CronSchedule } from '../common/cron.schedule.js';
import type { AdmissionOperation, MatchCondition } from '../reviews/admission.review.js';
import type { InitialDelay } from '../decorators/handler-options.js';
import type { ErrorsMode } from '../contexts/change-options.js';
import type { MetadataFilter, ValueFilter, WhenFilter } from '../contexts/filter-options.js';
import type { HandlingPurpose } from '../state/storages.js';
import type { FieldPath } from '../objects/field-path.js';
import type { LogQuery } from '../logs/log.query.js';
import type { ParentLookup } from '../relations/parent.lookup.js';
import type { Relation } from '../relations/relation.js';
import type { ObjectSelector } from '../resources/object-selector.js';
import type { ResourceSelector } from '../resources/resource-selector.js';
import type { ResourceDeclaration } from '../resources/object-class.js';

/** The description of one handler for people and tools. */
export interface HandlerDescription {
  readonly kind:
    | 'activity'
    | 'watching'
    | 'changing'
    | 'daemon'
    | 'timer'
    | 'child'
    | 'reference'
    | 'log'
    | 'index'
    | 'validate'
    | 'mutate'
    | 'convert';
  readonly id: string;
  readonly source: string;
  readonly selector?: string;
  /** The other resources whose metadata the operator watches for the handler: children, referents, or parents. */
  readonly related?: readonly string[];
  readonly reason?: string;
  /** The operations of an admission handler; absent for all of them. */
  readonly operations?: readonly string[];
  readonly subresource?: string;
  /** The versions of a conversion. */
  readonly from?: string;
  readonly to?: string;
}

/** The activities of an operator, for which handlers are called outside of any object. */
export const ActivityKind = {
  STARTUP: 'startup',
  CLEANUP: 'cleanup',
  LOGIN: 'login',
  PROBE: 'probe',
} as const;

export type ActivityKind = (typeof ActivityKind)[keyof typeof ActivityKind];

/** The handler's method as a function of its context. The same method has the same function, whatever its decorators. */
export type HandlerFunction = (context: any) => unknown;

/** A method with everything that limits and configures its calls, as the registry has it. Absent members have their defaults. */
export interface Handler {
  readonly id: string;
  /** The handler in log lines: `Handler 'create'`. */
  readonly title: string;
  /** The method in messages: `Operator.create`. */
  readonly source: string;
  /** The id in log lines, where handlers of several classes can have the same one. @default the id */
  readonly loggedId?: string;
  /** The name of the class, which is the context of the handler's log lines. */
  readonly className?: string;
  readonly invoke: HandlerFunction;
  /** The instance that the method belongs to; sub-handlers are called as its methods, too. */
  readonly instance?: object;
  readonly param?: unknown;
  readonly errors?: ErrorsMode;
  /** Seconds for all attempts together. */
  readonly timeout?: number;
  readonly retries?: number;
  /** Seconds until the next attempt after an arbitrary error. */
  readonly backoff?: number;
}

/** A handler of an activity of the operator: its startup, cleanup, logins, or probes. */
export interface ActivityHandler extends Handler {
  readonly activity: ActivityKind;
}

/** A handler of objects. The selector is absent for sub-handlers only. */
export interface ResourceHandler extends Handler {
  readonly selector?: ResourceSelector;
  /** The condition on the objects of the resource that the handler is for. */
  readonly objectSelector?: ObjectSelector;
  /** Whether only a part of the objects is watched, so that an object that appears can have existed before. */
  readonly isSelectedByWatch?: true;
  /** The look-up of the required parent. */
  readonly parents?: ParentLookup;
  readonly labels?: MetadataFilter<any>;
  readonly annotations?: MetadataFilter<any>;
  readonly when?: WhenFilter<any>;
  readonly field?: FieldPath;
  readonly value?: ValueFilter<any>;
}

/** A handler of raw events. */
export interface WatchingHandler extends ResourceHandler {}

/** A handler that keeps an index. Its id is the name of the index. */
export interface IndexingHandler extends ResourceHandler {}

/** A handler that is called for an object without an event. All durations are in seconds. */
export interface SpawningHandler extends ResourceHandler {
  readonly initialDelay?: InitialDelay;
}

/** A handler that runs beside an object. */
export interface DaemonHandler extends SpawningHandler {
  readonly kind: 'daemon';
  /** Whether objects stay until the handler has ended. @default true */
  readonly finalizer?: boolean;
  readonly cancellationBackoff?: number;
  readonly cancellationTimeout?: number;
  readonly cancellationPolling?: number;
}

/** A handler that is called for an object on a schedule. */
export interface TimerHandler extends SpawningHandler {
  readonly kind: 'timer' | 'child' | 'reference';
  /** Whether objects stay until the handler has ended. */
  readonly finalizer?: boolean;
  readonly interval?: number;
  readonly sharp?: boolean;
  readonly idle?: number;
  /** The times of the cron expression. */
  readonly schedule?: CronSchedule;
  /** The related objects whose changes call the handler, instead of a schedule. */
  readonly relation?: Relation;
  /** Seconds for which changes of related objects are collected. */
  readonly batchWindow?: number;
  /** The type of the condition in the status that says whether all references are resolved. */
  readonly condition?: string;
}

/** A handler that is called for log messages of the containers of a pod. */
export interface LogHandler extends SpawningHandler {
  readonly kind: 'log';
  readonly log: LogQuery;
}

/** All kinds of handlers that work without events. */
export type BackgroundHandler = DaemonHandler | TimerHandler | LogHandler;

/** A handler of changes. */
export interface ChangingHandler extends ResourceHandler {
  /** The reason for which the handler is called; absent for any. */
  readonly reason?: HandlingPurpose;
  /** Whether the handler is only for objects that were there when the operator started. */
  readonly initial?: boolean;
  /** Whether an `initial` handler is called also for objects that are being deleted. */
  readonly deleted?: boolean;
  /** Whether a finalizer keeps objects from being deleted before the handler was called. */
  readonly requiresFinalizer?: boolean;
  /** The event that aborts the signal of a running handler: the deletion of its object only, or also a change. */
  readonly abortOn?: 'deletion' | 'change';
  /** Whether the field must have changed. */
  readonly fieldNeedsChange?: boolean;
  readonly old?: ValueFilter<any>;
  readonly new?: ValueFilter<any>;
}

/** A handler that the API server asks about objects. Its id is the end of the webhook's path. */
export interface AdmissionHandler extends ResourceHandler {
  readonly kind: 'validate' | 'mutate';
  /** The operations that are reviewed; absent for all of them. */
  readonly operations?: readonly AdmissionOperation[];
  /** The subresource that is reviewed; absent for the object itself, `*` for everything. */
  readonly subresource?: string;
  readonly persistent?: boolean;
  readonly sideEffects?: boolean;
  readonly ignoreFailures?: boolean;
  /** Whether updates that change only the operator's own state are reviewed. */
  readonly ownUpdates?: boolean;
  readonly old?: ValueFilter<any>;
  readonly new?: ValueFilter<any>;
  readonly matchConditions?: readonly MatchCondition[];
  readonly dto?: new () => object;
}

/** A method that converts objects of a custom resource from one version to another. */
export interface ConversionHandler extends Handler {
  /** The name of the CRD: `widgets.example.com`. */
  readonly definition: string;
  readonly group: string;
  /** The version of the objects that the method gets. */
  readonly from: string;
  /** The version of the objects that the method returns. */
  readonly to: string;
  /** Whether the classes do not have one of the versions any more. */
  readonly retired: boolean;
  /** The classes that it was declared with. */
  readonly declarations: readonly ResourceDeclaration[];
}

/** Selects one handler of each function and id: a method is called once, even if several of its decorators match. */
export function deduplicate<H extends Handler>(handlers: readonly H[]): readonly H[] {
  if (handlers.length < 2) return handlers;
  return handlers.filter((handler, index) => handlers.findIndex(isSameAs(handler)) === index);
}

/**
 * The kinds of changes. With `initial`, the operator sees the object for the first time since its start, so that handlers of resumptions are
 * called, too.
 */
const CHANGES: readonly { readonly reason: HandlingPurpose; readonly initial: boolean; readonly deleted: boolean }[] = [
  { reason: 'create', initial: false, deleted: false },
  { reason: 'update', initial: false, deleted: false },
  { reason: 'update', initial: true, deleted: false },
  { reason: 'resume', initial: true, deleted: false },
  { reason: 'delete', initial: false, deleted: true },
  { reason: 'delete', initial: true, deleted: true },
];

/** Checks whether a handler is for changes of this kind; its filters on the object are not considered. */
export function isForChange(
  handler: Pick<ChangingHandler, 'reason' | 'initial' | 'deleted'>,
  change: { readonly reason: string; readonly initial: boolean; readonly deleted: boolean },
): boolean {
  if (handler.reason !== undefined && handler.reason !== change.reason) return false;
  if (!handler.initial) return true;
  return change.initial && (!change.deleted || handler.deleted === true);
}

/** Checks whether two handlers can both be called for one change, so that they need different ids: `@OnCreate` and `@OnDelete` cannot. */
export function canMeet(one: ChangingHandler, other: ChangingHandler): boolean {
  return CHANGES.some((change) => isForChange(one, change) && isForChange(other, change));
}

/**
 * Checks whether a stored record belongs to another method with the same id, which is called for other changes. Its attempts and its
 * success do not count for this method.
 *
 * @param handlers all handlers of the resource.
 * @param purpose the purpose in the record; absent if the record has none.
 */
export function isForeignRecord(
  handler: ChangingHandler,
  handlers: readonly ChangingHandler[],
  purpose: string | undefined,
): boolean {
  if (purpose === undefined) return false;
  const isFor = (each: ChangingHandler): boolean =>
    CHANGES.some((change) => change.reason === purpose && isForChange(each, change));
  const namesakes = handlers.filter(({ id }) => id === handler.id);
  const own = namesakes.filter(({ invoke }) => invoke === handler.invoke);
  return own.length < namesakes.length && !own.some(isFor) && namesakes.some(isFor);
}

/** Creates a predicate that recognises the declarations of one handler by all of its decorators. */
export function isSameAs({ id, invoke }: Handler): (other: Handler) => boolean {
  return (other) => other.id === id && other.invoke === invoke;
}
