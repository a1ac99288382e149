import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';

/** The routes of an application that the cluster asks for, without a global prefix. */
export interface HttpRoutes {
  /** Absent without the controller of `KopfHealthModule`. */
  readonly liveness?: string;
  readonly readiness?: string;
  /** Absent without the controller of `KopfMetricsModule`. */
  readonly metrics?: string;
}

/** The providers of the routes by their names, as their modules need packages that an operator without these modules does not have. */
const HEALTH = 'Symbol(KOPF_HEALTH_SETTINGS)';
const METRICS = 'Symbol(KOPF_METRICS_ROUTE)';

interface HealthRoutes {
  readonly controller: boolean;
  readonly livenessPath: string;
  readonly readinessPath: string;
}

interface MetricsRoute {
  readonly controller: boolean;
  readonly path: string;
}

/** Finds the routes by which probes and Prometheus ask the operator. */
export function findRoutes(application: Pick<INestApplicationContext, 'get'>): HttpRoutes {
  const providers = application.get(DiscoveryService, { strict: false }).getProviders();
  const find = (token: string): unknown =>
    providers.find((wrapper) => typeof wrapper.token === 'symbol' && String(wrapper.token) === token)?.instance;
  const health = find(HEALTH) as HealthRoutes | undefined;
  const metrics = find(METRICS) as MetricsRoute | undefined;
  return {
    ...(health?.controller && { liveness: health.livenessPath, readiness: health.readinessPath }),
    ...(metrics?.controller && { metrics: metrics.path }),
  };
}
