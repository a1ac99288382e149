import { Injectable } from '@nestjs/common';
import { KOPF_CHANNELS, type CycleMessage, type HandlerMessage } from '../diagnostics/channels.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import type { QueueLoad as Load } from '../watching/object.queues.js';
import { WatcherSet } from '../watching/watcher.set.js';
import { isFailed } from '../execution/outcome.labels.js';
import type { MetricContext, MetricGroup } from './metric.group.js';
import { qualifiedName } from '../resources/resources.js';
import { SeriesCache } from './series.cache.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The result of a cycle, in the words of controller-runtime. */
type ReconcileResult = 'success' | 'error' | 'requeue' | 'requeue_after';

/** The upper bounds of controller-runtime, in seconds. */
export const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600,
] as const;
/** The upper bounds of client-go's queues, in seconds. */
const QUEUE_BUCKETS = [0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1000] as const;

/**
 * The metrics of event cycles and queues under the names of controller-runtime, so that dashboards made for it work: each resource is a
 * controller with one queue, and an event cycle is a reconciliation.
 */
@Injectable()
export class ReconcileMetrics implements MetricGroup {
  constructor(
    @InjectOwn(WatcherSet) private readonly watchers: WatcherSet,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  start(context: MetricContext): void {
    this.countCycles(context);
    this.countEvents(context);
    this.readQueues(context);
  }

  private countCycles({ families, subscriptions }: MetricContext): void {
    const totals = families.counter('controller_runtime_reconcile_total', 'Event cycles by their results.', [
      'controller',
      'result',
    ]);
    const errors = families.counter('controller_runtime_reconcile_errors_total', 'Event cycles with errors.', [
      'controller',
    ]);
    const times = families.histogram(
      'controller_runtime_reconcile_time_seconds',
      'Seconds of work of event cycles, without sleeps.',
      ['controller'],
      RECONCILE_BUCKETS,
    );
    const retries = families.counter('workqueue_retries_total', 'Event cycles that are followed by another attempt.', [
      'name',
    ]);
    const series = new SeriesCache(qualifiedName, (controller) => {
      const total = (result: ReconcileResult) => totals({ controller, result });
      return {
        success: total('success'),
        error: total('error'),
        requeue: total('requeue'),
        requeue_after: total('requeue_after'),
        errors: errors({ controller }),
        time: times({ controller }),
        retries: retries({ name: controller }),
      };
    });
    subscriptions.observe(this.watchers.changes$, ({ resource }) => void series.of(resource));
    const failing = new Set<string>();
    subscriptions.subscribe(KOPF_CHANNELS.handlerEnd, (message) => recordFailure(failing, message));
    subscriptions.subscribe(KOPF_CHANNELS.cycleEnd, (message) => {
      const hasFailed = failing.delete(message.body.metadata.uid ?? '');
      const result = hasFailed ? 'error' : resultOf(message);
      const one = series.of(message.resource);
      one[result].add();
      one.time.observe(message.work ?? 0, message);
      if (result === 'error') one.errors.add();
      if (result !== 'success') one.retries.add();
    });
  }

  private countEvents({ families, subscriptions }: MetricContext): void {
    const adds = families.counter('workqueue_adds_total', 'Events that have come into the queues.', ['name']);
    const waits = families.histogram(
      'workqueue_queue_duration_seconds',
      'Seconds that events wait until they are processed.',
      ['name'],
      QUEUE_BUCKETS,
    );
    const works = families.histogram(
      'workqueue_work_duration_seconds',
      'Seconds of work on events, without sleeps.',
      ['name'],
      QUEUE_BUCKETS,
    );
    const series = new SeriesCache(qualifiedName, (name) => ({
      adds: adds({ name }),
      wait: waits({ name }),
      work: works({ name }),
    }));
    subscriptions.observe(this.watchers.changes$, ({ resource }) => void series.of(resource));
    subscriptions.subscribe(KOPF_CHANNELS.queueAdd, ({ resource }) => series.of(resource).adds.add());
    subscriptions.subscribe(KOPF_CHANNELS.queueTake, ({ resource, waited }) => {
      if (waited !== undefined) series.of(resource).wait.observe(waited);
    });
    subscriptions.subscribe(KOPF_CHANNELS.queueDone, ({ resource, work = 0 }) =>
      series.of(resource).work.observe(work),
    );
  }

  private readQueues({ families }: MetricContext): void {
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const read = (metric: string, help: string, label: 'controller' | 'name', value: (load: Load) => number): void =>
      families.gauge(metric, help, [label], (set) => {
        for (const [resource, load] of this.loads) set({ [label]: resource }, value(load));
      });
    read(
      'controller_runtime_active_workers',
      'Objects that are being processed now.',
      'controller',
      ({ running }) => running.length,
    );
    read(
      'controller_runtime_max_concurrent_reconciles',
      'Limit of objects that are processed at the same time; 0 without a limit.',
      'controller',
      () => this.workerLimit,
    );
    read('workqueue_depth', 'Events that wait to be processed.', 'name', ({ waiting }) => waiting);
    read(
      'workqueue_unfinished_work_seconds',
      'Seconds of work so far on all events in progress, without sleeps.',
      'name',
      ({ running }) => sum(running),
    );
    read(
      'workqueue_longest_running_processor_seconds',
      'Seconds of work so far on the event that takes longest, without sleeps.',
      'name',
      ({ running }) => Math.max(0, ...running),
    );
  }

  private get workerLimit(): number {
    const { workerLimit, workerLimitPerKind } = this.settings.queueing;
    const limit = Math.min(workerLimit ?? Infinity, workerLimitPerKind ?? Infinity);
    return limit === Infinity ? 0 : limit;
  }

  /** The loads of the queues by resources, those of all namespaces together. */
  private get loads(): ReadonlyMap<string, Load> {
    const loads = new Map<string, Load>();
    for (const { resource, waiting, running } of this.watchers.loads) {
      const name = qualifiedName(resource);
      const others = loads.get(name);
      if (others) loads.set(name, { waiting: waiting + others.waiting, running: [...others.running, ...running] });
      else loads.set(name, { waiting, running });
    }
    return loads;
  }
}

function recordFailure(failing: Set<string>, { reason, body, outcome }: HandlerMessage): void {
  // Daemons, timers, and reviews are called outside of cycles; nothing else has no reason and an error.
  if (reason !== undefined && outcome && isFailed(outcome)) failing.add(body?.metadata.uid ?? '');
}

function resultOf({ result }: CycleMessage): ReconcileResult {
  if (result === 'failed') return 'error';
  if (result === 'waiting') return 'requeue_after';
  return result === 'repeated' ? 'requeue' : 'success';
}
