import { Inject, Injectable } from '@nestjs/common';
import type { CycleMessage, HandlerMessage } from '../diagnostics/channels.js';
import { OperatorReader } from '../inspection/operator/operator.reader.js';
import type { QueueReading } from '../inspection/operator.readings.js';
import { isFailed } from '../execution/outcome.labels.js';
import type { MetricContext, MetricGroup } from './metric.group.js';
import { qualifiedName } from '../resources/resources.js';
import { SeriesCache } from './series.cache.js';

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
  constructor(@Inject(OperatorReader) private readonly readings: OperatorReader) {}

  start(context: MetricContext): void {
    this.countCycles(context);
    this.countEvents(context);
    this.readQueues(context);
  }

  private countCycles({ families, stream }: MetricContext): void {
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
    stream.on('watchState', ({ resource }) => void series.of(resource));
    const failing = new Set<string>();
    stream.on('handlerEnd', (message) => recordFailure(failing, message));
    stream.on('cycleEnd', (message) => {
      const hasFailed = failing.delete(message.body.metadata.uid ?? '');
      const result = hasFailed ? 'error' : resultOf(message);
      const one = series.of(message.resource);
      one[result].add();
      one.time.observe(message.work ?? 0, message);
      if (result === 'error') one.errors.add();
      if (result !== 'success') one.retries.add();
    });
  }

  private countEvents({ families, stream }: MetricContext): void {
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
    stream.on('watchState', ({ resource }) => void series.of(resource));
    stream.on('queueAdd', ({ resource }) => series.of(resource).adds.add());
    stream.on('queueTake', ({ resource, waited }) => {
      if (waited !== undefined) series.of(resource).wait.observe(waited);
    });
    stream.on('queueDone', ({ resource, work = 0 }) => series.of(resource).work.observe(work));
  }

  private readQueues({ families }: MetricContext): void {
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const read = (
      metric: string,
      help: string,
      label: 'controller' | 'name',
      value: (queue: QueueReading) => number,
    ): void =>
      families.gauge(metric, help, [label], (set) => {
        for (const queue of this.readings.queues()) set({ [label]: queue.resource }, value(queue));
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
      ({ limit = 0 }) => limit,
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
}

function recordFailure(failing: Set<string>, { reason, body, outcome }: Readonly<HandlerMessage>): void {
  // Only handlers of changes have a reason. Daemons, timers, and reviews are called outside of cycles.
  if (reason !== undefined && outcome && isFailed(outcome)) failing.add(body?.metadata.uid ?? '');
}

function resultOf({ result }: Readonly<CycleMessage>): ReconcileResult {
  if (result === 'failed') return 'error';
  if (result === 'waiting') return 'requeue_after';
  return result === 'repeated' ? 'requeue' : 'success';
}
