import { Controller, Get } from '@nestjs/common';
import {
  HealthCheck,
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { DataSource } from 'typeorm';
import { Public } from '../auth/public.decorator.js';

/** Tells whether the API can answer: whether its database does. */
@Public()
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: DataSource,
  ) {}

  @Get()
  @HealthCheck()
  check(): Promise<HealthCheckResult> {
    return this.health.check([() => this.ping()]);
  }

  /** Terminus' own indicator looks for the packages of TypeORM, which are not there if the application is one file. */
  private async ping(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('database');
    try {
      await this.database.query('SELECT 1');
      return indicator.up();
    } catch {
      return indicator.down();
    }
  }
}
