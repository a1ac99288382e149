import type { BackgroundEngine } from '../background/background.engine.js';
import type { EventPoster } from '../contexts/object-events.js';
import type { ExecutionScope } from '../execution/handler.executor.js';
import type { IndexingGate } from '../indexing/indexing.gate.js';
import type { Backpressure } from '../watching/backpressure.js';
import type { Inventory } from './inventory.js';

/**
 * The parts of a session that the steps of handling use. The steps outlive sessions and have no state, so the context comes with each
 * event.
 */
export interface SessionContext extends ExecutionScope {
  /** The resources for which a warning was logged that the cluster does not keep their status. */
  readonly pruned: Set<string>;
  /** Aborted when handlers are not waited for any longer, as another operator may be working then. */
  readonly ending: AbortSignal;
  /** The memories of the objects. */
  readonly inventory: Inventory;
  /** The gate that holds handlers back until the indices are populated. */
  readonly gate: IndexingGate;
  /** The engine of daemons and timers. */
  readonly background: BackgroundEngine;
  /** The poster of Kubernetes events. */
  readonly events: EventPoster;
  /** The limit of concurrent patches. */
  readonly backpressure: Backpressure;
}
