import type { EventContext } from './contexts.interface.js';
import type { WatchingCause } from './watching.cause.js';
import { ObjectHandlerContext } from './object-handler.context.js';

/** Serves as the context of `@OnEvent` handlers. */
export class EventHandlerContext extends ObjectHandlerContext<WatchingCause> implements EventContext {
  get type() {
    return this.cause.type;
  }
  get event() {
    return this.cause.event;
  }
}
