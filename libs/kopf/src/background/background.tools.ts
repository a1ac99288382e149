import type { HandlerExecutor } from '../execution/handler.executor.js';
import type { HandlerInvoker } from '../execution/handler.invoker.js';
import type { EventPoster } from '../contexts/event-poster.interface.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { TimerHeap } from '../common/timer.heap.js';
import type { Leadership } from '../coordination/pausing/leadership.js';
import type { BackgroundPatching } from './background.patching.js';

/** Lists the dependencies of daemons and timers; they are the same for all of an operator. */
export interface BackgroundTools {
  readonly executor: HandlerExecutor;
  readonly invoker: HandlerInvoker;
  readonly settings: KopfSettings;
  /** Waits for all of them with one timer. */
  readonly heap: TimerHeap;
  readonly patching: BackgroundPatching;
  readonly events: EventPoster;
  /** The right to call handlers; absent if it cannot be lost. */
  readonly leadership?: Leadership;
}
