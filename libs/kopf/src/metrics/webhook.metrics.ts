import { Inject, Injectable } from '@nestjs/common';
import type { ReviewMessage } from '../diagnostics/channels.js';
import { OperatorReader } from '../inspection/operator/operator.reader.js';
import type { MetricContext, MetricGroup } from './metric.group.js';
import { SeriesCache } from './series.cache.js';

/** The upper bounds of controller-runtime's webhooks, in seconds. */
const LATENCY_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

/** The statuses that reviews are answered with; others count as 500. */
const CODES = ['200', '400', '404', '409', '500', '503'] as const;

/** The code of rejections by handlers that have not answered in time. */
const TIMEOUT = 504;

/** The label of reviews without an id, which are for all handlers. */
const ALL = 'all';

/** The metrics of admission reviews, under the names of controller-runtime. */
@Injectable()
export class WebhookMetrics implements MetricGroup {
  private labels?: ReadonlyMap<string, string>;

  constructor(@Inject(OperatorReader) private readonly readings: OperatorReader) {}

  start({ families, stream }: MetricContext): void {
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
    stream.on('state', (state) => {
      if (state !== 'starting') return;
      if (this.readings.reviews().handlers > 0) series.named(ALL);
      for (const webhook of this.readings.labelsOfWebhooks().values()) series.named(webhook);
    });
    stream.on('reviewEnd', (message) => {
      const { codes, latency, rejections: rejected } = series.named(this.labelOf(message));
      (codes.get(String(message.code)) ?? codes.get('500'))?.add();
      latency.observe(message.duration ?? 0);
      if (message.allowed === false) rejected[message.rejection === TIMEOUT ? 'timeout' : 'handler'].add();
    });
    families.gauge('controller_runtime_webhook_requests_in_flight', 'Reviews in progress.', [], (set) =>
      set({}, this.readings.reviews().inProgress),
    );
  }

  /** Returns the label of a review; `unknown` for ids that no webhook has, as clients can send any id. */
  private labelOf({ webhook }: ReviewMessage): string {
    if (!webhook) return ALL;
    this.labels ??= this.readings.labelsOfWebhooks();
    return this.labels.get(webhook) ?? 'unknown';
  }
}
