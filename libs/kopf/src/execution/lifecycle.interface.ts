import type { Random } from 'kube-common';

/** Describes a handler for lifecycles. */
export interface LifecycleHandler {
  readonly id: string;
}

/** Gives lifecycles the data for their choice. */
export interface LifecycleContext {
  /** Counts the attempts of the handler. */
  retriesOf(handler: LifecycleHandler): number;
  readonly random: Random;
}

/**
 * Decides which of the due handlers are executed in this cycle, and in which order.
 * Those left out are executed in the next cycles. The handlers are given in the order of their registration.
 */
export type Lifecycle = <H extends LifecycleHandler>(handlers: readonly H[], context: LifecycleContext) => readonly H[];
