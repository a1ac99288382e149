export { KopfMetrics } from './kopf.metrics.js';
export { KopfMetricsModule } from './kopf-metrics.module.js';
export type {
  ExemplarMessage,
  ExemplarSource,
  KopfMetricsAsyncOptions,
  KopfMetricsCollection,
  KopfMetricsControllerOptions,
  KopfMetricsOptions,
  MetricsRegistry,
} from './metrics.options.js';
