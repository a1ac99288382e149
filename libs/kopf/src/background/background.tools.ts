import type { EventPoster } from '../contexts/object-events.js';
import type { TimerHeap } from 'kube-common';
import type { Leadership } from '../coordination/pausing/leadership.js';
import type { BlockageMonitor } from '../execution/blockage.monitor.js';
import type { HandlerExecutor } from '../execution/handler.executor.js';
import type { HandlerInvoker } from '../execution/handler.invoker.js';
import type { LogSession } from '../logs/log.session.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { BackgroundPatching, PatchingScope } from './background.patching.js';

/** The part of a session that its daemons and timers use. */
export interface BackgroundSession {
  /** The heap that serves all their waits with one timer. */
  readonly heap: TimerHeap;
  readonly events: EventPoster;
  /** The session's limits of sending patches. */
  readonly sending: PatchingScope;
  /** The monitor that finds the call by which the event loop was blocked; absent if blockages are not monitored. */
  readonly monitor?: BlockageMonitor;
  /** The permission to call handlers; absent if it cannot be lost. */
  readonly leadership?: Leadership;
}

/** The dependencies that all daemons and timers of a session share. */
export interface BackgroundTools extends BackgroundSession {
  readonly executor: HandlerExecutor;
  readonly invoker: HandlerInvoker;
  readonly patching: BackgroundPatching;
  readonly settings: KopfSettings;
  /** The tailers of logs. */
  readonly logs: LogSession;
}
