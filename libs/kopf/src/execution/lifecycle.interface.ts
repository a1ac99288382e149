import type { Random } from '../common/random.interface.js';

/** What a lifecycle knows of a handler. */
export interface LifecycleHandler {
  readonly id: string;
}

/** What a lifecycle can base its choice on. */
export interface LifecycleContext {
  /** How many attempts of the handler were made. */
  retriesOf(handler: LifecycleHandler): number;
  readonly random: Random;
}

/**
 * Decides which of the due handlers are executed in this cycle, and in which order.
 * Those left out are executed in the next cycles. The handlers are given in the order of their registration.
 */
export type Lifecycle = <H extends LifecycleHandler>(handlers: readonly H[], context: LifecycleContext) => readonly H[];
