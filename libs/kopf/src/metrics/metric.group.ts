import type { OperatorSubscriptions } from '../diagnostics/operator.subscriptions.js';
import type { MetricFamilies } from './metric.families.js';

/** A group of metrics about one thing. */
export interface MetricGroup {
  /** Makes the metrics, and subscribes to the operator. */
  start(context: MetricContext): void;
}

/** The context that groups of metrics are made with. */
export interface MetricContext {
  readonly families: MetricFamilies;
  readonly subscriptions: OperatorSubscriptions;
}
