/**
 * Health of the operator through Terminus: a module with endpoints, and an indicator for those of the application.
 *
 * @module nestjs-kopf/health
 */

export { KopfHealthIndicator } from './kopf-health.indicator.js';
export { KopfHealthModule } from './kopf-health.module.js';
export type { KopfHealthControllerOptions, KopfHealthLimits, KopfHealthOptions } from './health.options.js';
export type { KopfHealthAsyncOptions, KopfHealthOptionsFactory } from './health-options.providers.js';
