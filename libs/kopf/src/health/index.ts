/**
 * Health of the operator through Terminus: a module with endpoints, and an indicator for those of the application.
 *
 * @module nestjs-kopf/health
 */

export { KopfHealthIndicator } from './kopf-health.indicator.js';
export { KopfHealthModule } from './kopf-health.module.js';
export type { KopfHealthOptions } from './health.options.js';
export type {
  KopfHealthAsyncOptions,
  KopfHealthLimits,
  KopfHealthOptionsFactory,
  KopfHealthRoutes,
} from './health-options.providers.js';
