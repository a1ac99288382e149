import type { ObjectIdentity } from './inspected.object.js';

/** An error of a handler. */
export interface InspectedHandlerError {
  readonly error: string;
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** The object that was handled; absent if the handler handles none. */
  readonly object?: ObjectIdentity;
}

/**
 * One handler, and how its calls end: `GET api/handlers`. Calls are counted since the first viewer, or since the start if the history is
 * always kept.
 */
export interface InspectedHandler {
  /** `create`, `update`, `daemon`, `index`, … */
  readonly kind: string;
  readonly id: string;
  /** The method: `PodOperator.create`. */
  readonly source: string;
  /** The resources that it is for, in words. */
  readonly selector?: string;
  /** The reason of the changes that it is for. */
  readonly reason?: string;
  /** The filters in words. */
  readonly filters: readonly string[];
  readonly calls: number;
  readonly succeeded: number;
  readonly retried: number;
  readonly failed: number;
  /** The number of calls that have not ended. */
  readonly running: number;
  /** Calls per minute over the last five minutes. */
  readonly rate: number;
  /** The median of the durations of the last calls, in seconds. */
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
  /** The last errors, newest first. */
  readonly errors: readonly InspectedHandlerError[];
}
