// health: whether the operator works, for probes and @nestjs/terminus: watches, event loop, probe handlers. It is a leaf: a separate
// subpath of the package, so that terminus is needed only where it is imported. It reads the operator by inspection/ only.
// May import: inspection, and what is no operator's state: common, resources, registry, activities, settings, discovery, tokens, the root.

import {
  Inject,
  Module,
  type DynamicModule,
  type ModuleMetadata,
  type NestModule,
  type Provider,
} from '@nestjs/common';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { bindToOperator, requireOperators } from '../discovery/operator.providers.js';
import { excludeFromGlobalPrefix } from '../discovery/nest.internals.js';
import { READER_PROVIDER } from '../inspection/operator/service.tokens.js';
import { OPERATOR_SERVICES } from '../kopf-core.module.js';
import { DEFAULT_OPERATOR, operatorTokenOf } from '../kopf.tokens.js';
import { EventLoopMonitor } from './event-loop.monitor.js';
import { HandlerHealth } from './handler.health.js';
import { healthOptionsProviders, pickRoutes, type KopfHealthAsyncOptions } from './health-options.providers.js';
import { createHealthSettings, settingsOf, type HealthSettings, type KopfHealthOptions } from './health.options.js';
import { KOPF_HEALTH_INDICATORS, KOPF_HEALTH_SETTINGS } from './health.tokens.js';
import { createHealthController } from './kopf-health.controller.js';
import { KopfHealthIndicator } from './kopf-health.indicator.js';
import { KopfProbes } from './kopf.probes.js';
import { OperatorHealth } from './operator.health.js';

const PROVIDERS = [READER_PROVIDER, EventLoopMonitor, HandlerHealth, KopfProbes, OperatorHealth, KopfHealthIndicator];

/**
 * The module that reports the health of `KopfModule`'s operator with `@nestjs/terminus`: by an indicator to inject, and over HTTP if
 * enabled.
 *
 * @example
 * @Module({ imports: [KopfHealthModule.forRoot({ controller: true }), KopfModule.forRoot()] }) export class AppModule {}
 */
@Module({})
export class KopfHealthModule implements NestModule {
  /** @internal */
  constructor(
    @Inject(KOPF_HEALTH_SETTINGS) private readonly settings: HealthSettings,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {}

  /** @throws KopfOptionsError if options are wrong. */
  static forRoot(options: KopfHealthOptions = {}): DynamicModule {
    const { imports, providers = [], ...rest } = options;
    const settings = createHealthSettings(rest);
    const own = { provide: KOPF_HEALTH_SETTINGS, useValue: settings };
    return KopfHealthModule.make(settings, { imports, providers: [own, ...providers] });
  }

  /**
   * Does the same as {@link forRoot}, with options that are created when the application starts; those of the routes are given
   * now.
   *
   * @throws KopfOptionsError if options are wrong: of the routes at once, the others when the application starts.
   */
  static forRootAsync(options: KopfHealthAsyncOptions): DynamicModule {
    const { imports, providers = [] } = options;
    const settings = createHealthSettings(pickRoutes(options));
    return KopfHealthModule.make(settings, { imports, providers: [...healthOptionsProviders(options), ...providers] });
  }

  /**
   * Exempts the routes from the global prefix before the application makes them.
   *
   * @internal
   */
  configure(): void {
    const { settings, config, modules } = this;
    if (!settings.controller || settings.globalPrefix) return;
    const paths = [settings.livenessPath, settings.readinessPath];
    excludeFromGlobalPrefix({ config, modules, module: KopfHealthModule }, paths);
  }

  private static make(settings: HealthSettings, { imports = [], providers = [] }: ModuleMetadata): DynamicModule {
    const { operator, operators } = settings;
    const all = operators.length > 0 ? operators : [operator];
    const indicators = all.map((name) => operatorTokenOf(name, KopfHealthIndicator));
    return {
      module: KopfHealthModule,
      imports: [TerminusModule, ...imports],
      controllers: settings.controller ? [createHealthController(settings)] : [],
      providers: [
        requireOperators('KopfHealthModule', all),
        ...providers,
        ...all.flatMap((name) => provideHealth(name, operators.length > 0)),
        { provide: KOPF_HEALTH_INDICATORS, useFactory: (...found: unknown[]) => found, inject: indicators },
      ],
      exports: indicators,
    };
  }
}

/** The providers of one operator's health. @param isOneOfSeveral whether its settings are made of those of all operators. */
function provideHealth(operator: string, isOneOfSeveral: boolean): Provider[] {
  if (!isOneOfSeveral || operator === DEFAULT_OPERATOR) return bindToOperator(operator, PROVIDERS, OPERATOR_SERVICES);
  const own: Provider = {
    provide: operatorTokenOf(operator, KOPF_HEALTH_SETTINGS),
    useFactory: (settings: HealthSettings) => settingsOf(operator, settings),
    inject: [KOPF_HEALTH_SETTINGS],
  };
  return [own, ...bindToOperator(operator, PROVIDERS, [...OPERATOR_SERVICES, KOPF_HEALTH_SETTINGS])];
}
