import { Injectable } from '@nestjs/common';
import { nameServicePath } from '../admission/configuration/webhooks.js';
import { ReviewDispatcher } from '../admission/review/review.dispatcher.js';
import { conversionPathOf } from '../conversion/conversion.stanza.js';
import { KOPF_CHANNELS, type ReviewMessage } from '../diagnostics/channels.js';
import { OperatorLifecycle } from '../operator/operator.lifecycle.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import type { MetricContext, MetricGroup } from './metric.group.js';
import { SeriesCache } from './series.cache.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The upper bounds of controller-runtime's webhooks, in seconds. */
const LATENCY_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

/** The statuses that reviews are answered with; others count as 500. */
const CODES = ['200', '400', '404', '409', '500', '503'] as const;

/** The code of rejections by handlers that have not answered in time. */
const TIMEOUT = 504;

/** The path of all handlers together. */
const ALL = 'all';

/** The metrics of admission reviews, under the names of controller-runtime. */
@Injectable()
export class WebhookMetrics implements MetricGroup {
  private labels?: ReadonlyMap<string, string>;

  constructor(
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(ReviewDispatcher) private readonly dispatcher: ReviewDispatcher,
    @InjectOwn(OperatorLifecycle) private readonly lifecycle: OperatorLifecycle,
  ) {}

  start({ families, subscriptions }: MetricContext): void {
    const requests = families.counter('controller_runtime_webhook_requests_total', 'Reviews by their HTTP statuses.', [
      'webhook',
      'code',
    ]);
    const latencies = families.histogram(
      'controller_runtime_webhook_latency_seconds',
      'Seconds that reviews take.',
      ['webhook'],
      LATENCY_BUCKETS,
    );
    const rejections = families.counter('kopf_webhook_rejections_total', 'Reviews that have rejected a request.', [
      'webhook',
      'cause',
    ]);
    const series = new SeriesCache<ReviewMessage, ReturnType<typeof create>>(
      (message) => this.labelOf(message),
      (webhook) => create(webhook),
    );
    function create(webhook: string) {
      return {
        codes: new Map(CODES.map((code) => [code as string, requests({ webhook, code })])),
        latency: latencies({ webhook }),
        rejections: {
          handler: rejections({ webhook, cause: 'handler' }),
          timeout: rejections({ webhook, cause: 'timeout' }),
        },
      };
    }
    subscriptions.observe(this.lifecycle.state$, (state) => {
      const handlers = state === 'starting' ? this.registry.allAdmission() : [];
      const conversions = state === 'starting' ? this.conversionLabels : [];
      if (handlers.length > 0) for (const webhook of [ALL, ...handlers.map(({ id }) => id)]) series.named(webhook);
      for (const webhook of conversions) series.named(webhook);
    });
    subscriptions.subscribe(KOPF_CHANNELS.reviewEnd, (message) => {
      const { codes, latency, rejections: rejected } = series.named(this.labelOf(message));
      (codes.get(String(message.code)) ?? codes.get('500'))?.add();
      latency.observe(message.duration ?? 0);
      if (message.allowed === false) rejected[message.rejection === TIMEOUT ? 'timeout' : 'handler'].add();
    });
    families.gauge('controller_runtime_webhook_requests_in_flight', 'Reviews in progress.', [], (set) =>
      set({}, this.dispatcher.reviewing),
    );
  }

  /** The webhooks of conversions, one for each CRD. */
  private get conversionLabels(): readonly string[] {
    return [...new Set(this.registry.allConversions().map(({ definition }) => conversionPathOf(definition)))];
  }

  /** Bounds the labels: the id in the path can be anything. */
  private labelOf({ webhook }: ReviewMessage): string {
    if (!webhook) return ALL;
    this.labels ??= new Map([
      ...this.registry.allAdmission().flatMap(({ id }) => [[nameServicePath(id), id] as const, [id, id] as const]),
      ...this.conversionLabels.map((path) => [path, path] as const),
    ]);
    return this.labels.get(webhook) ?? 'unknown';
  }
}
