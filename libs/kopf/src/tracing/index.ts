/**
 * Tracing of the operator by OpenTelemetry: spans of event cycles, handlers, requests, and admission reviews.
 *
 * @module nestjs-kopf/tracing
 */

export { KopfTracingModule } from './kopf-tracing.module.js';
export type {
  KopfTracingAsyncOptions,
  KopfTracingOptions,
  KopfTracingOptionsFactory,
  KopfTracingSettings,
} from './tracing.options.js';
