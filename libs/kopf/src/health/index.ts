export { KopfHealthIndicator } from './kopf-health.indicator.js';
export { KopfHealthModule } from './kopf-health.module.js';
export type { KopfHealthOptions } from './health.options.js';
