/**
 * Metrics of the operator for Prometheus: a module with an endpoint, or for the registry of the application.
 *
 * @module nestjs-kopf/metrics
 */

export { KopfMetrics } from './kopf.metrics.js';
export { KopfMetricsModule } from './kopf-metrics.module.js';
export type {
  ExemplarMessage,
  ExemplarSource,
  KopfMetricsAsyncOptions,
  KopfMetricsCollection,
  KopfMetricsControllerOptions,
  KopfMetricsOptions,
  KopfMetricsOptionsFactory,
  MetricsRegistry,
} from './metrics.options.js';
