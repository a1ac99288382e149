import { Controller, Get, Inject, UseGuards, VERSION_NEUTRAL, type Type } from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import type { HealthSettings } from './health.options.js';
import { HideFromSwagger } from './hide-from-swagger.decorator.js';
import { KOPF_HEALTH_INDICATORS } from './health.tokens.js';
import type { KopfHealthIndicator } from './kopf-health.indicator.js';

/** Creates the controller of the liveness and the readiness, whose paths and guards are options. */
export function createHealthController(settings: HealthSettings): Type {
  const { livenessPath, readinessPath, guards, decorators } = settings;

  @Controller({ version: VERSION_NEUTRAL })
  class KopfHealthController {
    constructor(
      @Inject(HealthCheckService) private readonly health: HealthCheckService,
      @Inject(KOPF_HEALTH_INDICATORS) private readonly indicators: readonly KopfHealthIndicator[],
    ) {}

    @Get(livenessPath)
    @HealthCheck()
    @HideFromSwagger()
    checkLiveness(): Promise<HealthCheckResult> {
      return this.health.check(this.indicators.map((indicator) => () => indicator.isLive()));
    }

    @Get(readinessPath)
    @HealthCheck()
    @HideFromSwagger()
    checkReadiness(): Promise<HealthCheckResult> {
      return this.health.check(this.indicators.map((indicator) => () => indicator.isReady()));
    }
  }
  for (const decorate of [...decorators, UseGuards(...guards)]) decorate(KopfHealthController);
  return KopfHealthController;
}
