import type { OperatorStream } from '../inspection/operator.readings.js';
import type { MetricFamilies } from './metric.families.js';

/** A group of metrics about one thing. */
export interface MetricGroup {
  /** Creates the metrics, and listens to the operator. */
  start(context: MetricContext): void;
  /** Ends what the group does besides listening. */
  stop?(): void;
}

/** The context in which groups of metrics start. */
export interface MetricContext {
  readonly families: MetricFamilies;
  readonly stream: OperatorStream;
}
