// metrics: what the operator does and holds, as metrics of prom-client, for Prometheus: handlers, event cycles, queues, requests,
// watches, webhooks, the operator itself. It is a leaf: a separate subpath of the package, so that prom-client is needed only where
// it is imported. It reads the operator by inspection/ only: the stream of what happens, and the readings when metrics are scraped.
// Labels are bounded: names of objects and other values from outside never become labels.
// May import: inspection, and what is no operator's state: common, diagnostics, resources, execution, settings, discovery, tokens, the root.

import { Inject, Module, type DynamicModule, type NestModule, type Provider } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { excludeFromGlobalPrefix } from '../discovery/nest.internals.js';
import { provideService, requireOperators } from '../discovery/operator.providers.js';
import { provideReader } from '../inspection/operator/service.tokens.js';
import { operatorTokenOf } from '../kopf.tokens.js';
import { provideOptions } from '../settings/options.providers.js';
import { createMetricsController } from './kopf-metrics.controller.js';
import { GROUPS, KopfMetrics, METRIC_GROUPS } from './kopf.metrics.js';
import type { MetricGroup } from './metric.group.js';
import {
  checkCollection,
  checkMetricsOptions,
  createMetricsRoute,
  KOPF_METRICS_COLLECTION,
  KOPF_METRICS_ROUTE,
  METRICS_SYNC_OPTIONS,
  type KopfMetricsAsyncOptions,
  type KopfMetricsOptions,
  type MetricsRoute,
} from './metrics.options.js';

/** The providers of the metrics, besides the metrics themselves. */
const PROVIDERS: readonly Provider[] = [
  ...GROUPS,
  { provide: METRIC_GROUPS, useFactory: (...groups: MetricGroup[]) => groups, inject: [...GROUPS] },
];

/**
 * The module that measures `KopfModule`'s operator for Prometheus, and serves the metrics over HTTP.
 *
 * @example
 * @Module({ imports: [KopfMetricsModule.forRoot(), KopfModule.forRoot()] })
 * export class AppModule {}
 */
@Module({})
export class KopfMetricsModule implements NestModule {
  /** @internal */
  constructor(
    @Inject(KOPF_METRICS_ROUTE) private readonly route: MetricsRoute,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {}

  /** @throws KopfOptionsError, some of them when the application starts, if options are wrong. */
  static forRoot(options: KopfMetricsOptions = {}): DynamicModule {
    const { registry, exemplars, ...rest } = options;
    return KopfMetricsModule.create({ ...rest, useFactory: () => ({ registry, exemplars }) }, METRICS_SYNC_OPTIONS);
  }

  /** Does the same as {@link forRoot}, with a registry and exemplars that are created when the application starts. */
  static forRootAsync(options: KopfMetricsAsyncOptions): DynamicModule {
    return KopfMetricsModule.create(options);
  }

  private static create(options: KopfMetricsAsyncOptions, known?: readonly string[]): DynamicModule {
    checkMetricsOptions(options, known);
    const { imports = [], providers = [] } = options;
    const route = createMetricsRoute(options);
    return {
      module: KopfMetricsModule,
      imports,
      controllers: route.controller ? [createMetricsController(route, options)] : [],
      providers: [
        requireOperators('KopfMetricsModule', [route.operator]),
        ...providers,
        { provide: KOPF_METRICS_ROUTE, useValue: route },
        ...provideOptions(options, {
          provide: KOPF_METRICS_COLLECTION,
          module: 'KopfMetricsModule',
          method: 'createKopfMetricsOptions',
          complete: checkCollection,
        }),
        ...PROVIDERS,
        provideService(route.operator, KopfMetrics),
        ...provideReader(route.operator),
      ],
      exports: [operatorTokenOf(route.operator, KopfMetrics)],
    };
  }

  /** Exempts the route from the global prefix; Nest calls it before the application makes it. */
  configure(): void {
    const { route, config, modules } = this;
    if (!route.controller || route.globalPrefix) return;
    excludeFromGlobalPrefix({ config, modules, module: KopfMetricsModule }, [route.path]);
  }
}
