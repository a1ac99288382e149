import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from 'kube-common';
import type { HandlerMessage } from '../diagnostics/channels.js';
import { OperatorReader } from '../inspection/operator/operator.reader.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { qualifiedName, type Resource } from '../resources/resources.js';
import { OUTCOMES, outcomeLabel, type OutcomeLabel } from '../execution/outcome.labels.js';
import type { HistogramSeries } from './duration.histogram.js';
import type { CounterSeries } from './metric.families.js';
import type { MetricContext, MetricGroup } from './metric.group.js';
import { PendingAttempts } from './pending.attempts.js';
import { RECONCILE_BUCKETS } from './reconcile.metrics.js';
import { SeriesCache } from './series.cache.js';

/** The series of one handler for one resource. */
interface HandlerSeries {
  readonly outcomes: Readonly<Record<OutcomeLabel, CounterSeries>>;
  readonly duration: HistogramSeries;
  readonly retries: CounterSeries;
  readonly pending: PendingAttempts;
  running: number;
}

/** The resource of handlers that handle no objects. */
const NO_RESOURCE: Labelled = { plural: '', group: '' };

/** The part of a resource that its label is made of. */
type Labelled = Pick<Resource, 'plural' | 'group'>;

/** The metrics of the attempts of all handlers. Sub-handlers, whose ids can come from objects, count together as `parent/*`. */
@Injectable()
export class HandlerMetrics implements MetricGroup {
  constructor(
    @Inject(OperatorReader) private readonly readings: OperatorReader,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  start({ families, stream }: MetricContext): void {
    const create = this.createFamilies(families);
    type Handler = HandlerMessage['handler'];
    const series = new SeriesCache<Handler, SeriesCache<Labelled, HandlerSeries>>(
      ({ id }) => this.readings.labelOfHandler(id),
      (handler) => new SeriesCache<Labelled, HandlerSeries>(qualifiedName, (resource) => create({ handler, resource })),
    );
    const find = ({ handler, resource }: Readonly<HandlerMessage>) => series.of(handler).of(resource ?? NO_RESOURCE);
    // Prometheus sees the first increase of a series only if the series was there before, with 0.
    stream.on('watchState', ({ resource, handlers }) => {
      for (const id of handlers) series.named(this.readings.labelOfHandler(id)).of(resource);
    });
    stream.on('handlerStart', (message) => {
      const one = find(message);
      one.running += 1;
      if (message.retry > 0) one.retries.add();
      one.pending.done(message.body?.metadata.uid);
    });
    stream.on('handlerEnd', (message) => {
      const one = find(message);
      const { outcome = { final: true }, duration = 0, body } = message;
      one.running -= 1;
      one.outcomes[outcomeLabel(outcome)].add();
      one.duration.observe(duration, message);
      if (!outcome.final) one.pending.add(body?.metadata.uid, this.clock.now() + (outcome.delay ?? 0) * 1000);
    });
    const all = function* (): Iterable<HandlerSeries & { labels: { handler: string; resource: string } }> {
      for (const [handler, resources] of series.all) {
        for (const [resource, one] of resources.all) yield { ...one, labels: { handler, resource } };
      }
    };
    stream.on('cycleEnd', ({ type, body }) => {
      // No handler is called for a deleted object.
      if (type === 'DELETED') for (const { pending } of all()) pending.done(body.metadata.uid);
    });
    stream.on('state', (state) => {
      if (state !== 'running') for (const { pending } of all()) pending.clear();
    });
    this.readSeries(families, all);
  }

  private createFamilies(families: MetricContext['families']) {
    const labels = ['handler', 'resource'] as const;
    const attempts = families.counter('kopf_handler_attempts_total', 'Attempts of handlers by their outcomes.', [
      ...labels,
      'outcome',
    ]);
    const durations = families.histogram(
      'kopf_handler_duration_seconds',
      'Seconds that attempts of handlers take.',
      labels,
      RECONCILE_BUCKETS,
    );
    const retries = families.counter('kopf_handler_retries_total', 'Attempts of handlers after the first one.', labels);
    return (names: { readonly handler: string; readonly resource: string }): HandlerSeries => ({
      outcomes: Object.fromEntries(
        OUTCOMES.map((outcome) => [outcome, attempts({ ...names, outcome })]),
      ) as HandlerSeries['outcomes'],
      duration: durations(names),
      retries: retries(names),
      pending: new PendingAttempts(),
      running: 0,
    });
  }

  private readSeries(
    families: MetricContext['families'],
    all: () => Iterable<HandlerSeries & { labels: { handler: string; resource: string } }>,
  ): void {
    const labels = ['handler', 'resource'];
    families.gauge('kopf_handler_running', 'Attempts of handlers in progress.', labels, (set) => {
      for (const one of all()) set(one.labels, one.running);
    });
    families.gauge('kopf_handler_pending', 'Objects that wait for the next attempt of a handler.', labels, (set) => {
      for (const one of all()) set(one.labels, one.pending.size);
    });
    families.gauge(
      'kopf_handler_next_due_seconds',
      'Seconds until the next attempt of a handler is due; negative if it is overdue; 0 if nothing waits.',
      labels,
      (set) => {
        const now = this.clock.now();
        for (const one of all()) set(one.labels, ((one.pending.earliest ?? now) - now) / 1000);
      },
    );
  }
}
