// metrics: what the operator does and holds, as metrics of prom-client, for Prometheus: handlers, event cycles, queues, requests,
// watches, webhooks, the operator itself. It is a leaf: a subpath of the package of its own, so that prom-client is needed only where
// it is imported. It follows the channels of diagnostics/, and reads what the operator holds when the metrics are scraped.
// Labels are bounded: names of objects and whatever comes from outside never become labels.
// May import: everything but other leaves.

import { Module, type DynamicModule } from '@nestjs/common';
import { createMetricsController } from './kopf-metrics.controller.js';
import { GROUPS, KopfMetrics, METRIC_GROUPS } from './kopf.metrics.js';
import type { MetricGroup } from './metrics.followers.js';
import {
  checkCollection,
  checkModuleOptions,
  KOPF_METRICS_COLLECTION,
  type KopfMetricsAsyncOptions,
  type KopfMetricsCollection,
  type KopfMetricsOptions,
} from './metrics.options.js';

/**
 * Measures `KopfModule`'s operator for Prometheus, and serves the metrics over HTTP.
 *
 * @example
 * @Module({ imports: [KopfMetricsModule.forRoot(), KopfModule.forRoot()] })
 * export class AppModule {}
 */
@Module({})
export class KopfMetricsModule {
  /** @throws KopfOptionsError, some of them when the application starts, if options are wrong. */
  static forRoot(options: KopfMetricsOptions = {}): DynamicModule {
    const { registry, exemplars, ...rest } = options;
    return KopfMetricsModule.forRootAsync({ ...rest, useFactory: () => ({ registry, exemplars }) });
  }

  /** Does the same as {@link forRoot}, with a registry and exemplars that are created when the application starts. */
  static forRootAsync(options: KopfMetricsAsyncOptions): DynamicModule {
    const { controller = true, imports = [], providers = [], useFactory, inject = [] } = options;
    checkModuleOptions(options);
    return {
      module: KopfMetricsModule,
      imports,
      controllers: controller ? [createMetricsController(options)] : [],
      providers: [
        ...providers,
        {
          provide: KOPF_METRICS_COLLECTION,
          useFactory: async (...args: unknown[]): Promise<KopfMetricsCollection> => {
            const collection = await useFactory(...args);
            checkCollection(collection);
            return collection;
          },
          inject,
        },
        ...GROUPS,
        { provide: METRIC_GROUPS, useFactory: (...groups: MetricGroup[]) => groups, inject: [...GROUPS] },
        KopfMetrics,
      ],
      exports: [KopfMetrics],
    };
  }
}
