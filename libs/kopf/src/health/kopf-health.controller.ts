import { Controller, Get, Inject, type Type } from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { operatorTokenOf } from '../kopf.tokens.js';
import type { HealthSettings } from './health.options.js';
import { KopfHealthIndicator } from './kopf-health.indicator.js';

/** Makes the controller of the liveness and the readiness, as its paths are options. */
export function createHealthController({ operator, livenessPath, readinessPath }: HealthSettings): Type {
  @Controller()
  class KopfHealthController {
    constructor(
      @Inject(HealthCheckService) private readonly health: HealthCheckService,
      @Inject(operatorTokenOf(operator, KopfHealthIndicator)) private readonly indicator: KopfHealthIndicator,
    ) {}

    @Get(livenessPath)
    @HealthCheck()
    checkLiveness(): Promise<HealthCheckResult> {
      return this.health.check([() => this.indicator.isLive()]);
    }

    @Get(readinessPath)
    @HealthCheck()
    checkReadiness(): Promise<HealthCheckResult> {
      return this.health.check([() => this.indicator.isReady()]);
    }
  }
  return KopfHealthController;
}
