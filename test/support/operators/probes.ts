import type { Provider } from '@nestjs/common';
import { ActivityRunner } from '../../../libs/kopf/src/activities/activity.runner.js';
import { provideOwn } from '../../../libs/kopf/src/discovery/operator.providers.js';
import type { HealthSettings } from '../../../libs/kopf/src/health/health.options.js';
import { KOPF_HEALTH_SETTINGS } from '../../../libs/kopf/src/health/health.tokens.js';
import { KopfProbes } from '../../../libs/kopf/src/health/kopf.probes.js';
import { DEFAULT_OPERATOR, KOPF_CLOCK, KOPF_LOGGER } from '../../../libs/kopf/src/kopf.tokens.js';
import { HandlerRegistry } from '../../../libs/kopf/src/registry/handler.registry.js';

/** Creates the providers of the caller of probe handlers, without the rest of the health. */
export function provideProbes(settings: Pick<HealthSettings, 'probeCacheTtl' | 'probeTimeout'>): Provider[] {
  const services = [HandlerRegistry, ActivityRunner, KOPF_CLOCK, KOPF_LOGGER];
  return [...provideOwn(DEFAULT_OPERATOR, services), { provide: KOPF_HEALTH_SETTINGS, useValue: settings }, KopfProbes];
}
