import type { EventContext, IndexContext } from './contexts.interface.js';
import type { ObjectContext } from './filter-contexts.interface.js';
import { type EventPoster, type EventDetails, type ObjectEvents, describeException } from './object-events.js';
import { HasMembers, INVOCATION_MEMBERS, OBJECT_EVENTS_MEMBERS, OBJECT_MEMBERS } from './context.members.js';
import type { LogLevel } from '../common/kopf.logger.js';
import type { ObjectCause, WatchingCause, IndexingCause } from './object.causes.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { Invocation } from './invocation.js';
import { InvocationHandlerContext } from './invocation-handler.context.js';

/**
 * The context of a handler of objects: its cause and its invocation together.
 *
 * The members are getters, so that creating a context costs nothing and destructuring reads only what is needed. Handlers get it with its
 * members exposed: see `exposeMembers()`.
 */
export abstract class ObjectHandlerContext<Cause extends ObjectCause>
  extends InvocationHandlerContext
  implements ObjectContext, Omit<ObjectEvents, 'event'>
{
  /** Set before the first call of a handler with `ownedBy`. */
  declare readonly parent: KubeObject | undefined;

  constructor(
    protected readonly cause: Cause,
    invocation: Invocation,
    private readonly poster: EventPoster,
  ) {
    super(invocation);
  }

  get body() {
    return this.cause.body;
  }
  get spec() {
    return this.cause.spec;
  }
  get meta() {
    return this.cause.meta;
  }
  get status() {
    return this.cause.status;
  }
  get name() {
    return this.cause.name;
  }
  get namespace() {
    return this.cause.namespace;
  }
  get uid() {
    return this.cause.uid;
  }
  get labels() {
    return this.cause.labels;
  }
  get annotations() {
    return this.cause.annotations;
  }
  get resource() {
    return this.cause.resource;
  }
  get patch() {
    return this.cause.patch;
  }
  get memo() {
    return this.cause.memo;
  }
  get indices() {
    return this.cause.indices;
  }

  get info(): ObjectEvents['info'] {
    return (details) => this.post('Normal', details, 'log');
  }
  get warn(): ObjectEvents['warn'] {
    return (details) => this.post('Warning', details, 'warn');
  }
  get exception(): ObjectEvents['exception'] {
    return (details) => this.post('Error', describeException(details), 'error');
  }

  protected post(type: string, details: EventDetails, level?: LogLevel): void {
    this.poster.post(this.cause.body, { ...details, type, level });
  }
}

/** The context of `@OnEvent` handlers. */
@HasMembers<EventContext>({
  ...OBJECT_MEMBERS,
  ...INVOCATION_MEMBERS,
  ...OBJECT_EVENTS_MEMBERS,
  type: true,
  event: true,
})
export class EventHandlerContext extends ObjectHandlerContext<WatchingCause> implements EventContext {
  get type() {
    return this.cause.type;
  }
  get event() {
    return this.cause.event;
  }
}

const { patch: _, ...READ_MEMBERS } = OBJECT_MEMBERS;

/** The context of `@Index` handlers. */
@HasMembers<IndexContext>({ ...READ_MEMBERS, ...INVOCATION_MEMBERS })
export class IndexHandlerContext extends ObjectHandlerContext<IndexingCause> implements IndexContext {}
