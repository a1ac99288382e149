import { Controller, Get, Inject, Res, UseGuards, VERSION_NEUTRAL, type Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { operatorTokenOf } from '../kopf.tokens.js';
import { KopfMetrics } from './kopf.metrics.js';
import type { KopfMetricsControllerOptions, MetricsRoute } from './metrics.options.js';

/** Creates the controller of the metrics, whose path and guards are options. */
export function createMetricsController(
  { operator, path }: MetricsRoute,
  { guards = [], decorators = [] }: KopfMetricsControllerOptions,
): Type {
  @Controller({ path, version: VERSION_NEUTRAL })
  class KopfMetricsController {
    constructor(
      @Inject(operatorTokenOf(operator, KopfMetrics)) private readonly metrics: KopfMetrics,
      @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    ) {}

    // The answer is sent here, so that no interceptor of the application wraps it.
    @Get()
    async scrape(@Res() response: unknown): Promise<void> {
      const { httpAdapter } = this.host;
      const text = await this.metrics.scrape();
      httpAdapter.setHeader(response, 'content-type', this.metrics.contentType);
      httpAdapter.reply(response, text, 200);
    }
  }
  for (const decorate of [...decorators, UseGuards(...guards), hideFromSwagger]) decorate(KopfMetricsController);
  return KopfMetricsController;
}

/** Sets the metadata of `@ApiExcludeController()`, so that the package of Swagger is not needed. */
function hideFromSwagger(target: object): void {
  Reflect.defineMetadata('swagger/apiExcludeController', [true], target);
}
