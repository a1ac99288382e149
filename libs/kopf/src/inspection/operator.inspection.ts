import type { OperatorEvent } from './event-log/operator.event.js';
import type {
  InspectedCoordination,
  InspectedHandler,
  InspectedMemory,
  InspectedObject,
  InspectedObjectDetails,
  InspectedPage,
  InspectedPermission,
  InspectedWatch,
  InspectedWebhook,
  ObjectIdentity,
  ObjectQuery,
  OperatorActivity,
  OperatorOverview,
} from './inspection.types.js';
import type { HandlingPlan, HandlingPlanRequest, UserOperation } from './plans/handling.plan.js';

/** A value, or the promise of one. */
export type Awaitable<T> = T | Promise<T>;

/** The address of an object, from which its kind is not known. */
export type ObjectAddress = Pick<ObjectIdentity, 'resource' | 'namespace' | 'name'>;

/** A part of an inspection whose answer can change. */
export type InspectionTopic =
  'overview' | 'now' | 'objects' | 'handlers' | 'watches' | 'coordination' | 'webhooks' | 'memory';

/**
 * The observer of what happens at an operator. Its methods are called often, in the middle of the work: they must return at once, and must
 * not throw.
 */
export interface InspectionObserver {
  /** Gets a new entry of the event log. */
  log(event: OperatorEvent): void;
  /** Called when the answer about a topic has changed. */
  changed(topic: InspectionTopic): void;
  /** Called when something has happened to an object or to a child of it; without an object, to any of them. */
  changedObject(object?: ObjectAddress): void;
}

/**
 * The read-only interface on one operator: what it is doing, what waits and why, what fails, and what happens.
 *
 * There are two implementations. `inspectOperator()` reads an operator in this process from its memory. The other one, of the command line,
 * reads the operators of a cluster from what they leave on objects. Nothing is collected without an observer, unless the settings say so.
 *
 * Answers contain no values of Secrets or of redacted fields. A request that cannot be answered throws an `InspectionError`.
 */
export interface OperatorInspection {
  /** The name of the operator. */
  readonly name: string;
  /** When the event log has begun, in milliseconds since the epoch: its times are seconds after this one. */
  readonly logBeganAt: number;
  /** The last events of the log, the oldest first: as many as are kept. */
  recentEvents(): readonly OperatorEvent[];
  /** The state of the operator and its health, with the number of objects, failures, daemons. */
  overview(): Awaitable<OperatorOverview>;
  /** The calls in progress, the calls that wait, and the failures, grouped by their errors. */
  now(): Awaitable<OperatorActivity>;
  /** The objects with their phases. @throws InspectionError 400 if the query makes no sense */
  objects(query: ObjectQuery): Awaitable<InspectedPage<InspectedObject>>;
  /** One object, about which the API server can be asked. @throws InspectionError 404 if there is no such object */
  object(address: ObjectAddress, signal: AbortSignal): Awaitable<InspectedObjectDetails>;
  /** The handlers, with the number of their calls, their durations, and their last errors. */
  handlers(): Awaitable<readonly InspectedHandler[]>;
  /** The watches, with their states and their lags. */
  watches(): Awaitable<readonly InspectedWatch[]>;
  /** The Lease or the peerings, and why the operator pauses. */
  coordination(): Awaitable<InspectedCoordination>;
  /** The webhooks, with the number of their reviews, and the last ones. */
  webhooks(): Awaitable<readonly InspectedWebhook[]>;
  /** The contents of the operator's memory: indices, daemons, timers, the heap. */
  memory(): Awaitable<InspectedMemory>;
  /** The permissions that handlers and features need, and whether the API server grants them, which it can be asked. */
  permissions(signal: AbortSignal): Awaitable<readonly InspectedPermission[]>;
  /** The memo of an object, redacted. @throws InspectionError 404 if the operator remembers nothing of the object, 400 if it runs elsewhere */
  memo(object: ObjectIdentity, signal: AbortSignal): Promise<unknown>;
  /**
   * Plans a change of the progress of handlers on an object. Nothing is written.
   *
   * @throws InspectionError 400 if the request makes no sense, 404 if there is no such object or handler, 409 if another object has its name now.
   */
  plan(request: HandlingPlanRequest, signal: AbortSignal): Promise<HandlingPlan>;
  /** Adds an action of a user to the event log. */
  record(operation: UserOperation): void;
  /** Subscribes an observer to what happens. @returns a function that ends the subscription */
  subscribe(observer: InspectionObserver): () => void;
}
