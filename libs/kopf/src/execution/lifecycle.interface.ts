import type { Random } from 'kube-common';

/** A handler, as lifecycles see it. */
export interface LifecycleHandler {
  readonly id: string;
}

/** The data by which lifecycles choose. */
export interface LifecycleContext {
  /** Returns the number of the handler's attempts. */
  retriesOf(handler: LifecycleHandler): number;
  readonly random: Random;
}

/**
 * Chooses which of the due handlers are executed in this cycle, and in which order. The others are executed in later cycles. The handlers
 * are given in the order of their registration.
 */
export type Lifecycle = <H extends LifecycleHandler>(handlers: readonly H[], context: LifecycleContext) => readonly H[];
