import type { BackgroundEngine } from '../background/background.engine.js';
import type { EventPoster } from '../contexts/object-events.js';
import type { ExecutionScope } from '../execution/handler.executor.js';
import type { IndexingGate } from '../indexing/indexing.gate.js';
import type { Backpressure } from '../watching/backpressure.js';
import type { Inventory } from './inventory.js';

/**
 * Holds what begins and ends with a session, as far as the steps of handling need it. The steps themselves outlive sessions
 * and remember nothing of them, so it comes with each event.
 */
export interface SessionContext extends ExecutionScope {
  /** The resources of which it was reported that the cluster does not keep their status. */
  readonly pruned: Set<string>;
  /** Aborted when handlers are not waited for any longer: another operator may be at work then. */
  readonly ending: AbortSignal;
  /** The memories of the objects. */
  readonly inventory: Inventory;
  /** Holds back the handlers until the indices are complete. */
  readonly gate: IndexingGate;
  /** The daemons and timers. */
  readonly background: BackgroundEngine;
  /** Posts Kubernetes events. */
  readonly events: EventPoster;
  /** Counts the patches that are under way. */
  readonly backpressure: Backpressure;
}
