import type { OperatorEvent } from './event-log/operator.event.js';
import type {
  ConsoleAction,
  ConsoleActionAnswer,
  ConsoleActionRequest,
  ConsoleCoordination,
  ConsoleHandler,
  ConsoleMemory,
  ConsoleNow,
  ConsoleObject,
  ConsoleObjectDetails,
  ConsoleObjectReference,
  ConsoleOverview,
  ConsolePage,
  ConsolePermission,
  ConsoleTopic,
  ConsoleWatch,
  ConsoleWebhook,
  ObjectQuery,
} from '../console/console.api.js';

/** A value, or the promise of one. */
export type Awaitable<T> = T | Promise<T>;

/** The part of the overview that a source knows; the server adds the rest. */
export type SourceOverview = Omit<ConsoleOverview, 'version' | 'operators' | 'operator' | 'actions' | 'user'>;

/** Who asks for an action, as the authentication says. */
export interface ConsoleViewer {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** Identifies an object whose details are asked for; the kind is not known from the address. */
export type ObjectAddress = Pick<ConsoleObjectReference, 'resource' | 'namespace' | 'name'>;

/** Is told what happens while somebody looks. Its methods are called often, and return at once. */
export interface ConsoleListener {
  /** Takes a new entry of the event log. */
  log(event: OperatorEvent): void;
  /** Takes note that the answers about a topic have changed. */
  changed(topic: ConsoleTopic): void;
  /** Takes note that something has happened to an object, or to a child of it; without one, that it concerns all objects. */
  changedObject(object?: ObjectAddress): void;
}

/**
 * Knows one operator, and answers what the console asks about it. There is one for an operator in this process, and one for an operator that
 * runs elsewhere, of which only the objects are seen. Nothing in the server knows which it has.
 *
 * Answers hold nothing that must not be shown: the source redacts them. What cannot be answered is thrown as a {@link ConsoleError}.
 */
export interface ConsoleSource {
  /** The name of the operator, in addresses of the console. */
  readonly name: string;
  /** When the event log has begun, in milliseconds since the epoch: its times are seconds after this one. */
  readonly logBeganAt: number;
  /** The last events of the log, the oldest first: as many as are kept. */
  recentEvents(): readonly OperatorEvent[];
  overview(): Awaitable<SourceOverview>;
  now(): Awaitable<ConsoleNow>;
  objects(query: ObjectQuery): Awaitable<ConsolePage<ConsoleObject>>;
  /** Can ask the API server about this one object. @throws ConsoleError 404 if there is no such object. */
  object(address: ObjectAddress, signal: AbortSignal): Awaitable<ConsoleObjectDetails>;
  handlers(): Awaitable<readonly ConsoleHandler[]>;
  watches(): Awaitable<readonly ConsoleWatch[]>;
  coordination(): Awaitable<ConsoleCoordination>;
  webhooks(): Awaitable<readonly ConsoleWebhook[]>;
  memory(): Awaitable<ConsoleMemory>;
  /** Can ask the API server which permissions the operator has. */
  permissions(signal: AbortSignal): Awaitable<readonly ConsolePermission[]>;
  /** Has the listener told what happens, until the returned function is called. */
  follow(listener: ConsoleListener): () => void;
  /**
   * Does an action, or says what it would do. Whether the viewer may ask for it was checked before.
   *
   * @throws ConsoleError 400 if the request makes no sense, 404 if there is no such object or handler, 409 if the object has changed meanwhile.
   */
  act(
    action: ConsoleAction,
    request: ConsoleActionRequest,
    viewer: ConsoleViewer,
    signal: AbortSignal,
  ): Awaitable<ConsoleActionAnswer>;
  /** Asks the API server, by a SubjectAccessReview, whether the viewer may do this to the object, or to the operator. */
  mayAct(
    action: ConsoleAction,
    object: ConsoleObjectReference | undefined,
    viewer: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<boolean>;
}
