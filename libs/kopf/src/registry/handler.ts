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

/** Describes one handler for people and tools. */
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
  /** Of admission handlers; absent for all of them. */
  readonly operations?: readonly string[];
  readonly subresource?: string;
  /** The versions of a conversion. */
  readonly from?: string;
  readonly to?: string;
}

/** The activities of an operator, for which handlers are called outside of any object. */
export const Activity = {
  STARTUP: 'startup',
  CLEANUP: 'cleanup',
  LOGIN: 'login',
  PROBE: 'probe',
} as const;

export type Activity = (typeof Activity)[keyof typeof Activity];

/** The handler's method as a function of its context. The same method has the same function, whatever its decorators. */
export type HandlerFunction = (context: any) => unknown;

/** A method with all that limits and tunes its calls: what the registry holds. Absent members mean the defaults. */
export interface Handler {
  readonly id: string;
  /** Names the handler in log lines: `Handler 'create'`. */
  readonly title: string;
  /** Names the method in messages: `Operator.create`. */
  readonly source: string;
  /** The id in log lines, where handlers of several classes can have the same one. @default the id */
  readonly loggedId?: string;
  /** Names the class, which is the context of the handler's log lines. */
  readonly className?: string;
  readonly invoke: HandlerFunction;
  /** Holds the instance that the method belongs to; sub-handlers are called as its methods, too. */
  readonly instance?: object;
  readonly param?: unknown;
  readonly errors?: ErrorsMode;
  /** Limits the time of all attempts, in seconds. */
  readonly timeout?: number;
  readonly retries?: number;
  /** Delays the next attempt after an arbitrary error, in seconds. */
  readonly backoff?: number;
}

/** A handler of the operator's own life. */
export interface ActivityHandler extends Handler {
  readonly activity: Activity;
}

/** A handler of objects. The selector is absent for sub-handlers only. */
export interface ResourceHandler extends Handler {
  readonly selector?: ResourceSelector;
  /** Selects the objects of the resource that the handler is for. */
  readonly selection?: ObjectSelector;
  /** Is true if only a part of the objects is watched: one that appears can have existed before. */
  readonly isSelectedByWatch?: true;
  /** Requires a parent of a certain kind, and finds it. */
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

/** A handler that works for an object on its own, without events. All durations are in seconds. */
export interface SpawningHandler extends ResourceHandler {
  readonly initialDelay?: InitialDelay;
}

/** A handler that runs beside an object. */
export interface DaemonHandler extends SpawningHandler {
  readonly kind: 'daemon';
  /** Is `false` if objects may go before the handler has ended. */
  readonly finalizer?: boolean;
  readonly cancellationBackoff?: number;
  readonly cancellationTimeout?: number;
  readonly cancellationPolling?: number;
}

/** A handler that is called for an object on a schedule. */
export interface TimerHandler extends SpawningHandler {
  readonly kind: 'timer' | 'child' | 'reference';
  /** Is `false` if objects may go before the handler has ended. */
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
  /** Names the condition that tells whether all references are resolved. */
  readonly condition?: string;
}

/** A handler that is called for what the containers of an object write. */
export interface LogHandler extends SpawningHandler {
  readonly kind: 'log';
  readonly log: LogQuery;
}

/** All kinds of handlers that work without events. */
export type BackgroundHandler = DaemonHandler | TimerHandler | LogHandler;

/** A handler of changes. */
export interface ChangingHandler extends ResourceHandler {
  /** For which reason it is called; absent for any. */
  readonly reason?: HandlingPurpose;
  /** Restricts the handler to objects that were there when the operator started. */
  readonly initial?: boolean;
  /** Calls an `initial` handler also for objects that are being deleted. */
  readonly deleted?: boolean;
  /** Keeps objects from being deleted before the handler was called. */
  readonly requiresFinalizer?: boolean;
  /** Aborts the signal of a running handler when its object is to be deleted, or also when it has changed. */
  readonly abortOn?: 'deletion' | 'change';
  /** Requires the field to have changed. */
  readonly fieldNeedsChange?: boolean;
  readonly old?: ValueFilter<any>;
  readonly new?: ValueFilter<any>;
}

/** A handler that the API server asks about objects. Its id is the end of the webhook's path. */
export interface AdmissionHandler extends ResourceHandler {
  readonly kind: 'validate' | 'mutate';
  /** Absent for all of them. */
  readonly operations?: readonly AdmissionOperation[];
  /** Absent for the object itself, `*` for everything. */
  readonly subresource?: string;
  readonly persistent?: boolean;
  readonly sideEffects?: boolean;
  readonly ignoreFailures?: boolean;
  /** Whether updates are asked about that change nothing but the operator's own state. */
  readonly ownUpdates?: boolean;
  readonly old?: ValueFilter<any>;
  readonly new?: ValueFilter<any>;
  readonly matchConditions?: readonly MatchCondition[];
  readonly dto?: new () => object;
}

/** A method that converts objects of a custom resource from one version to another. */
export interface ConversionHandler extends Handler {
  /** Names the CRD: `widgets.example.com`. */
  readonly definition: string;
  readonly group: string;
  /** The version of the objects that the method gets. */
  readonly from: string;
  /** The version of the objects that the method returns. */
  readonly to: string;
  /** Is true if one of the versions has gone from the classes. */
  readonly retired: boolean;
  /** The classes that it was declared with. */
  readonly declarations: readonly ResourceDeclaration[];
}

/** Keeps one handler of each function and id: a method is called once, even if several of its decorators match. */
export function deduplicate<H extends Handler>(handlers: readonly H[]): readonly H[] {
  if (handlers.length < 2) return handlers;
  return handlers.filter((handler, index) => handlers.findIndex(isSameAs(handler)) === index);
}

/** What a change can be: whether the operator sees the object for the first time since its start decides on resumptions. */
const CHANGES: readonly { readonly reason: HandlingPurpose; readonly initial: boolean; readonly deleted: boolean }[] = [
  { reason: 'create', initial: false, deleted: false },
  { reason: 'update', initial: false, deleted: false },
  { reason: 'update', initial: true, deleted: false },
  { reason: 'resume', initial: true, deleted: false },
  { reason: 'delete', initial: false, deleted: true },
  { reason: 'delete', initial: true, deleted: true },
];

/** Tells whether a handler is for changes of this kind, whatever its filters say about the object. */
export function isForChange(
  handler: Pick<ChangingHandler, 'reason' | 'initial' | 'deleted'>,
  change: { readonly reason: string; readonly initial: boolean; readonly deleted: boolean },
): boolean {
  if (handler.reason !== undefined && handler.reason !== change.reason) return false;
  if (!handler.initial) return true;
  return change.initial && (!change.deleted || handler.deleted === true);
}

/** Tells whether two handlers can both be called for one change, so that they need different ids: `@OnCreate` and `@OnDelete` cannot. */
export function canMeet(one: ChangingHandler, other: ChangingHandler): boolean {
  return CHANGES.some((change) => isForChange(one, change) && isForChange(other, change));
}

/**
 * Tells whether a stored record is that of another method with the same id, which is called for other changes: its attempts and its success
 * are not those of this method.
 *
 * @param handlers all handlers of the resource.
 * @param purpose that of the record; absent if it says none.
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

/** Makes a predicate that recognises the declarations of one handler by all of its decorators. */
export function isSameAs({ id, invoke }: Handler): (other: Handler) => boolean {
  return (other) => other.id === id && other.invoke === invoke;
}
