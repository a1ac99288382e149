import { Module, type DynamicModule } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { EventLoopMonitor } from './event-loop.monitor.js';
import { makeHealthSettings, type KopfHealthOptions } from './health.options.js';
import { KOPF_HEALTH_SETTINGS } from './health.tokens.js';
import { createHealthController } from './kopf-health.controller.js';
import { KopfHealthIndicator } from './kopf-health.indicator.js';
import { KopfProbes } from './kopf.probes.js';

/**
 * Tells how the operator of `KopfModule` is, with `@nestjs/terminus`: by an indicator to inject, and over HTTP if wanted.
 *
 * @example
 * @Module({ imports: [KopfHealthModule.forRoot({ controller: true }), KopfModule.forRoot()] })
 * export class AppModule {}
 */
@Module({})
export class KopfHealthModule {
  /** @throws KopfOptionsError if options are wrong. */
  static forRoot(options: KopfHealthOptions = {}): DynamicModule {
    const settings = makeHealthSettings(options);
    return {
      module: KopfHealthModule,
      imports: [TerminusModule],
      controllers: settings.controller ? [createHealthController(settings)] : [],
      providers: [
        { provide: KOPF_HEALTH_SETTINGS, useValue: settings },
        EventLoopMonitor,
        KopfProbes,
        KopfHealthIndicator,
      ],
      exports: [KopfHealthIndicator],
    };
  }
}
