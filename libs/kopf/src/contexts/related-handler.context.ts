import { DAEMON_MEMBERS, HasMembers } from './context.members.js';
import { DaemonHandlerContext } from './daemon-handler.context.js';
import type { EventPoster } from './object-events.js';
import type { StopFlag } from './stop-flag.js';
import type { SpawningCause } from './object.causes.js';
import type { LiveBody } from '../objects/live-views.js';
import type { Invocation } from './invocation.js';
import type { ChildContext, ReferenceContext, RelatedView } from './related.interface.js';

/** The context of `@OnChild` and `@OnReference` handlers. */
@HasMembers<ChildContext & ReferenceContext>({ ...DAEMON_MEMBERS, children: true, referents: true, missing: true })
export class RelatedHandlerContext extends DaemonHandlerContext implements ChildContext, ReferenceContext {
  constructor(
    cause: SpawningCause,
    invocation: Invocation,
    poster: EventPoster,
    live: LiveBody,
    stopped: StopFlag,
    private readonly view: RelatedView,
  ) {
    super(cause, invocation, poster, live, stopped);
  }

  get children() {
    return this.view.related;
  }
  get referents() {
    return this.view.related;
  }
  get missing() {
    return this.view.missing;
  }
}
