import type { EventPoster } from '../contexts/object-events.js';
import type { TimerHeap } from 'kube-common';
import type { Leadership } from '../coordination/pausing/leadership.js';
import type { BlockageMonitor } from '../execution/blockage.monitor.js';
import type { HandlerExecutor } from '../execution/handler.executor.js';
import type { HandlerInvoker } from '../execution/handler.invoker.js';
import type { LogSession } from '../logs/log.session.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { BackgroundPatching, PatchingScope } from './background.patching.js';

/** Lists what daemons and timers need of the session in which they run. */
export interface BackgroundSession {
  /** Waits for all of them with one timer. */
  readonly heap: TimerHeap;
  readonly events: EventPoster;
  /** Surrounds the sending of their patches. */
  readonly sending: PatchingScope;
  /** Is told of the calls, to know which of them has blocked the event loop; absent if nobody wants to know. */
  readonly monitor?: BlockageMonitor;
  /** The right to call handlers; absent if it cannot be lost. */
  readonly leadership?: Leadership;
}

/** Lists what daemons and timers work with; it is the same for all of a session. */
export interface BackgroundTools extends BackgroundSession {
  readonly executor: HandlerExecutor;
  readonly invoker: HandlerInvoker;
  readonly patching: BackgroundPatching;
  readonly settings: KopfSettings;
  /** Serves those who follow logs. */
  readonly logs: LogSession;
}
