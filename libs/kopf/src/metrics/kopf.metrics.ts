import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Registry, type OpenMetricsContentType } from 'prom-client';
import { OperatorIdentity } from '../diagnostics/channels.js';
import { OperatorSubscriptions } from '../diagnostics/operator.subscriptions.js';
import { HandlerMetrics } from './handler.metrics.js';
import { LogMetrics } from './log.metrics.js';
import { MetricFamilies } from './metric.families.js';
import type { MetricGroup } from './metric.group.js';
import { KOPF_METRICS_COLLECTION, type KopfMetricsCollection, type MetricsRegistry } from './metrics.options.js';
import { ObjectMetrics } from './object.metrics.js';
import { OperatorMetrics } from './operator.metrics.js';
import { ReconcileMetrics } from './reconcile.metrics.js';
import { RequestMetrics } from './request.metrics.js';
import { WatchMetrics } from './watch.metrics.js';
import { WebhookMetrics } from './webhook.metrics.js';
import { InjectOwn } from '../kopf.tokens.js';

/** Injection token of all groups of metrics. */
export const METRIC_GROUPS = Symbol('METRIC_GROUPS');

/** The classes of the groups. */
export const GROUPS = [
  ReconcileMetrics,
  HandlerMetrics,
  RequestMetrics,
  WatchMetrics,
  LogMetrics,
  WebhookMetrics,
  OperatorMetrics,
  ObjectMetrics,
] as const;

/**
 * The metrics of the operator, for applications that serve or push them themselves.
 *
 * @example
 * const text = await metrics.scrape();
 */
@Injectable()
export class KopfMetrics implements OnModuleInit, OnApplicationShutdown {
  /** The registry that the metrics are in. */
  readonly registry: MetricsRegistry;
  private readonly subscriptions: OperatorSubscriptions;
  private families?: MetricFamilies;

  /** @internal */
  constructor(
    @Inject(KOPF_METRICS_COLLECTION) private readonly collection: KopfMetricsCollection,
    @InjectOwn(OperatorIdentity) private readonly operator: OperatorIdentity,
    @Inject(METRIC_GROUPS) private readonly groups: readonly MetricGroup[],
  ) {
    const { registry, exemplars } = collection;
    this.registry = registry ?? createRegistry(exemplars !== undefined);
    this.subscriptions = new OperatorSubscriptions(operator);
  }

  /** The content type of {@link scrape}. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** @throws KopfOptionsError if the registry has other metrics of the same names. */
  onModuleInit(): void {
    const families = new MetricFamilies(this.registry, this.operator.name, this.collection.exemplars);
    this.families = families;
    for (const group of this.groups) group.start({ families, subscriptions: this.subscriptions });
  }

  onApplicationShutdown(): void {
    this.subscriptions.close();
    this.families?.close();
  }

  /** Reads all metrics of the registry, in its text format. */
  scrape(): Promise<string> {
    return this.registry.metrics();
  }
}

/** Only OpenMetrics has exemplars. */
function createRegistry(hasExemplars: boolean): MetricsRegistry {
  if (!hasExemplars) return new Registry();
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  return registry;
}
