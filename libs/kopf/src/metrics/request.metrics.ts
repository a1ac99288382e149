import { Injectable } from '@nestjs/common';
import { KOPF_CHANNELS, type PatchMessage, type RequestMessage } from '../diagnostics/channels.js';
import { WatcherSet } from '../watching/watcher.set.js';
import type { HistogramSeries } from './duration.histogram.js';
import type { CounterSeries } from './metric.families.js';
import type { MetricContext, MetricGroup } from './metric.group.js';
import { qualifiedName } from '../resources/resources.js';
import { SeriesCache } from './series.cache.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The upper bounds of client-go, in seconds. */
const REQUEST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60] as const;

/** The status of requests without a response, as in client-go. */
const NO_RESPONSE = '<error>';

const PATCH_OUTCOMES: readonly PatchMessage['outcome'][] = ['stored', 'gone', 'conflict', 'rejected', 'failed'];

/** The metrics of what is sent to the API server: requests, under the names of client-go, and patches of objects. */
@Injectable()
export class RequestMetrics implements MetricGroup {
  constructor(@InjectOwn(WatcherSet) private readonly watchers: WatcherSet) {}

  start(context: MetricContext): void {
    this.countRequests(context);
    this.countPatches(context);
  }

  private countRequests({ families, subscriptions }: MetricContext): void {
    const totals = families.counter('rest_client_requests_total', 'Requests to the API server by their statuses.', [
      'code',
      'method',
      'host',
    ]);
    const durations = families.histogram(
      'rest_client_request_duration_seconds',
      'Seconds until the response; of watches until the stream is open.',
      ['verb', 'host'],
      REQUEST_BUCKETS,
    );
    const ofHosts = new SeriesCache<RequestMessage, ReturnType<typeof create>>(({ host }) => host, create);
    function create(host: string) {
      return {
        methods: new SeriesCache<RequestMessage, MethodSeries>(
          ({ method }) => method,
          (method) => ({
            duration: durations({ verb: method, host }),
            codes: new SeriesCache<RequestMessage, CounterSeries>(codeOf, (code) => totals({ code, method, host })),
          }),
        ),
      };
    }
    subscriptions.subscribe(KOPF_CHANNELS.requestEnd, (message) => {
      const { duration, codes } = ofHosts.named(message.host).methods.named(message.method);
      duration.observe(message.duration ?? 0, message);
      codes.named(codeOf(message)).add();
    });
  }

  private countPatches({ families, subscriptions }: MetricContext): void {
    const totals = families.counter('kopf_patches_total', 'Patches of objects by their outcomes.', [
      'resource',
      'outcome',
    ]);
    const durations = families.histogram(
      'kopf_patch_duration_seconds',
      'Seconds until a patch is stored, or is not, with all of its requests and retries.',
      ['resource'],
      REQUEST_BUCKETS,
    );
    const series = new SeriesCache(qualifiedName, (resource) => ({
      duration: durations({ resource }),
      outcomes: Object.fromEntries(PATCH_OUTCOMES.map((outcome) => [outcome, totals({ resource, outcome })])),
    }));
    subscriptions.observe(this.watchers.changes$, ({ resource }) => void series.of(resource));
    subscriptions.subscribe(KOPF_CHANNELS.patchEnd, ({ resource, outcome, duration = 0 }) => {
      const one = series.of(resource);
      one.outcomes[outcome].add();
      one.duration.observe(duration);
    });
  }
}

/** The series of one method and one host. */
interface MethodSeries {
  readonly duration: HistogramSeries;
  readonly codes: SeriesCache<RequestMessage, CounterSeries>;
}

function codeOf({ status }: RequestMessage): string {
  return status === undefined ? NO_RESPONSE : String(status);
}
