import { DAEMON_MEMBERS, HasMembers } from './context.members.js';
import { DaemonHandlerContext } from './daemon-handler.context.js';
import type { EventPoster } from './object-events.js';
import type { StopFlag } from './stop-flag.js';
import type { SpawningCause } from './object.causes.js';
import type { LiveBody } from '../objects/live-views.js';
import type { Invocation } from './invocation.js';
import type { LogContext, ContainerMessage } from './log.interface.js';

/** The context of `@OnLog` handlers. */
@HasMembers<LogContext>({
  ...DAEMON_MEMBERS,
  message: true,
  timestamp: true,
  container: true,
  containerId: true,
  restartCount: true,
  isTruncated: true,
  match: true,
  groups: true,
})
export class LogHandlerContext extends DaemonHandlerContext implements LogContext {
  constructor(
    cause: SpawningCause,
    invocation: Invocation,
    poster: EventPoster,
    live: LiveBody,
    stopped: StopFlag,
    private readonly log: ContainerMessage,
  ) {
    super(cause, invocation, poster, live, stopped);
  }

  get message() {
    return this.log.message;
  }
  get timestamp() {
    return this.log.timestamp;
  }
  get container() {
    return this.log.container;
  }
  get containerId() {
    return this.log.containerId;
  }
  get restartCount() {
    return this.log.restartCount;
  }
  get isTruncated() {
    return this.log.isTruncated;
  }
  get match() {
    return this.log.match;
  }
  get groups() {
    return this.log.groups;
  }
}
