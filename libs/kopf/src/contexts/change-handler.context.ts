import {
  CHANGE_MEMBERS,
  HasMembers,
  INVOCATION_MEMBERS,
  OBJECT_EVENTS_MEMBERS,
  OBJECT_MEMBERS,
} from './context.members.js';
import type { ChangeContext } from './contexts.interface.js';
import type { EventPoster, ObjectEvents } from './object-events.js';
import type { ChangingCause } from './changing.cause.js';
import type { Invocation, SubhandlerExecution } from './invocation.js';
import { ObjectHandlerContext } from './object-handler.context.js';

/** The context of handlers of changes, and of their sub-handlers. */
@HasMembers<ChangeContext>({
  ...OBJECT_MEMBERS,
  ...CHANGE_MEMBERS,
  ...INVOCATION_MEMBERS,
  ...OBJECT_EVENTS_MEMBERS,
  event: true,
  subhandler: true,
  execute: true,
})
export class ChangeHandlerContext extends ObjectHandlerContext<ChangingCause> implements ChangeContext {
  constructor(
    cause: ChangingCause,
    invocation: Invocation,
    poster: EventPoster,
    private readonly subhandling: SubhandlerExecution,
  ) {
    super(cause, invocation, poster);
  }

  /** Sets the instance of this invocation, as whose methods the sub-handlers are called. */
  bindSubhandlers(instance: object): void {
    this.subhandling.bindTo(instance);
  }

  /** Whether more than the status has changed, which operators write. */
  get isOfUsers() {
    return this.cause.isOfUsers;
  }

  get reason() {
    return this.cause.reason;
  }
  get old() {
    return this.cause.old;
  }
  get new() {
    return this.cause.new;
  }
  get diff() {
    return this.cause.diff;
  }
  get event(): ObjectEvents['event'] {
    return ({ type, ...details }) => this.post(type, details);
  }
  get subhandler(): ChangeContext['subhandler'] {
    return (id, handler, options) => this.subhandling.add(id, handler, options);
  }
  get execute(): ChangeContext['execute'] {
    return (handlers) => this.subhandling.execute(handlers);
  }
}
