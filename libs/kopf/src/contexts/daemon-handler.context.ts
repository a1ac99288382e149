import { DAEMON_MEMBERS, HasMembers } from './context.members.js';
import type { DaemonContext } from './contexts.interface.js';
import type { EventPoster, ObjectEvents } from './object-events.js';
import type { StopFlag } from './stop-flag.js';
import type { SpawningCause } from './object.causes.js';
import type { LiveBody } from '../objects/live-views.js';
import type { Invocation } from './invocation.js';
import { ObjectHandlerContext } from './object-handler.context.js';

/** The context of `@Daemon` and `@Timer` handlers: the parts of the body are live views. */
@HasMembers<DaemonContext>(DAEMON_MEMBERS)
export class DaemonHandlerContext extends ObjectHandlerContext<SpawningCause> implements DaemonContext {
  constructor(
    cause: SpawningCause,
    invocation: Invocation,
    poster: EventPoster,
    private readonly live: LiveBody,
    readonly stopped: StopFlag,
  ) {
    super(cause, invocation, poster);
  }

  override get body() {
    return this.live.body;
  }
  override get spec() {
    return this.live.spec;
  }
  override get meta() {
    return this.live.meta;
  }
  override get status() {
    return this.live.status;
  }
  override get labels() {
    return this.live.labels;
  }
  override get annotations() {
    return this.live.annotations;
  }
  get event(): ObjectEvents['event'] {
    return ({ type, ...details }) => this.post(type, details);
  }
}
