// health: whether the operator works, for probes and @nestjs/terminus: watchers, event loop, probe handlers. It is a leaf: a subpath of
// the package of its own, so that terminus is needed only where it is imported.
// May import: everything but other leaves.

import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { bindToOperator } from '../discovery/operator.providers.js';
import { OPERATOR_SERVICES } from '../kopf-core.module.js';
import { operatorTokenOf } from '../kopf.tokens.js';
import { EventLoopMonitor } from './event-loop.monitor.js';
import { HandlerHealth } from './handler.health.js';
import { healthOptionsProviders, type KopfHealthAsyncOptions } from './health-options.providers.js';
import { createHealthSettings, type HealthSettings, type KopfHealthOptions } from './health.options.js';
import { KOPF_HEALTH_SETTINGS } from './health.tokens.js';
import { createHealthController } from './kopf-health.controller.js';
import { KopfHealthIndicator } from './kopf-health.indicator.js';
import { KopfProbes } from './kopf.probes.js';
import { OperatorHealth } from './operator.health.js';

const PROVIDERS = [EventLoopMonitor, HandlerHealth, KopfProbes, OperatorHealth, KopfHealthIndicator];

/**
 * Reports the health of `KopfModule`'s operator with `@nestjs/terminus`: by an indicator to inject, and over HTTP if enabled.
 *
 * @example
 * @Module({ imports: [KopfHealthModule.forRoot({ controller: true }), KopfModule.forRoot()] })
 * export class AppModule {}
 */
@Module({})
export class KopfHealthModule {
  /** @throws KopfOptionsError if options are wrong. */
  static forRoot(options: KopfHealthOptions = {}): DynamicModule {
    const settings = createHealthSettings(options);
    const provide = operatorTokenOf(settings.operator, KOPF_HEALTH_SETTINGS);
    return KopfHealthModule.make(settings, { providers: [{ provide, useValue: settings }] });
  }

  /**
   * Does the same as {@link forRoot}, with options that are created when the application starts; those of the routes are given
   * now.
   *
   * @throws KopfOptionsError if options are wrong: of the routes at once, the others when the application starts.
   */
  static forRootAsync(options: KopfHealthAsyncOptions): DynamicModule {
    const { operator, controller, livenessPath, readinessPath, imports = [] } = options;
    const settings = createHealthSettings({ operator, controller, livenessPath, readinessPath });
    return KopfHealthModule.make(settings, { imports, providers: healthOptionsProviders(options) });
  }

  private static make(settings: HealthSettings, { imports = [], providers = [] }: ModuleMetadata): DynamicModule {
    return {
      module: KopfHealthModule,
      imports: [TerminusModule, ...imports],
      controllers: settings.controller ? [createHealthController(settings)] : [],
      providers: [
        ...providers,
        ...bindToOperator(settings.operator, PROVIDERS, [...OPERATOR_SERVICES, KOPF_HEALTH_SETTINGS]),
      ],
      exports: [operatorTokenOf(settings.operator, KopfHealthIndicator)],
    };
  }
}
