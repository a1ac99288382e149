import { Counter, Gauge } from 'prom-client';
import { KopfOptionsError } from '../common/kopf.errors.js';
import { DurationHistogram, type HistogramSeries, type MetricLabels } from './duration.histogram.js';
import type { ExemplarSource, MetricsRegistry } from './metrics.options.js';

/** The function that sets one series of a gauge. */
export type GaugeSetter = (labels: MetricLabels, value: number) => void;

/** The function that reads values when the metrics are scraped. */
type Reader = () => void;

/** A counter in a registry, with the series of several operators. */
class SharedCounter extends Counter {
  readonly readers = new Set<Reader>();
}

class SharedGauge extends Gauge {
  readonly readers = new Set<Reader>();
}

/** One series of a counter. Its value is added to the metric only for a scrape, as each look-up by labels takes time. */
export class CounterSeries {
  private total = 0;
  private collected = 0;

  constructor(
    private readonly metric: Counter,
    private readonly labels: MetricLabels,
  ) {
    metric.inc(labels, 0);
  }

  add(count = 1): void {
    this.total += count;
  }

  collect(): void {
    if (this.total === this.collected) return;
    this.metric.inc(this.labels, this.total - this.collected);
    this.collected = this.total;
  }
}

/** The metrics of one operator in a registry, which several operators can share: `operator` is a label of all metrics. */
export class MetricFamilies {
  private readonly closers: (() => void)[] = [];

  constructor(
    private readonly registry: MetricsRegistry,
    private readonly operator: string,
    private readonly exemplars?: ExemplarSource,
  ) {}

  /** Creates a counter. @returns a function that creates a series by its labels, which begins with 0 */
  counter<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
  ): (labels: Readonly<Record<L, string>>) => CounterSeries {
    const metric = this.find(name, SharedCounter) ?? this.createCounter(name, help, labelNames);
    const all: CounterSeries[] = [];
    this.collectWith(metric.readers, () => {
      for (const one of all) one.collect();
    });
    return (labels) => {
      const series = new CounterSeries(metric, this.complete(labels));
      all.push(series);
      return series;
    };
  }

  /** Creates a counter of a total that is counted elsewhere, and read for each scrape. */
  total(name: string, help: string, read: () => number): void {
    const series = this.counter(name, help, [])({});
    const [metric, last] = [this.find(name, SharedCounter)!, { value: 0 }];
    this.collectWith(metric.readers, () => {
      const value = read();
      series.add(value - last.value);
      last.value = value;
      series.collect();
    });
  }

  /** Creates a gauge, which is read for each scrape. Series that are not set then are removed. */
  gauge(name: string, help: string, labelNames: readonly string[], read: (set: GaugeSetter) => void): void {
    const metric = this.find(name, SharedGauge) ?? this.createGauge(name, help, labelNames);
    this.collectWith(metric.readers, () => read((labels, value) => metric.set(this.complete(labels), value)));
  }

  /** Creates a histogram of seconds. @returns a function that creates a series by its labels */
  histogram<L extends string>(
    name: string,
    help: string,
    _labelNames: readonly L[],
    buckets: readonly number[],
  ): (labels: Readonly<Record<L, string>>) => HistogramSeries {
    const metric = this.find(name, DurationHistogram) ?? this.createHistogram(name, help, buckets);
    return (labels) => metric.series(this.complete(labels), this.exemplars);
  }

  /** Ends the updates: counters and histograms keep their values, gauges lose the series of this operator. */
  close(): void {
    for (const close of this.closers.splice(0)) close();
  }

  private createCounter(name: string, help: string, labelNames: readonly string[]): SharedCounter {
    const counter: SharedCounter = new SharedCounter({
      ...this.describe(name, help, labelNames),
      collect: () => counter.readers.forEach((reader) => reader()),
    });
    return counter;
  }

  private createGauge(name: string, help: string, labelNames: readonly string[]): SharedGauge {
    const gauge: SharedGauge = new SharedGauge({
      ...this.describe(name, help, labelNames),
      collect: () => {
        gauge.reset();
        gauge.readers.forEach((reader) => reader());
      },
    });
    return gauge;
  }

  private createHistogram(name: string, help: string, buckets: readonly number[]): DurationHistogram {
    const histogram = new DurationHistogram(name, help, buckets);
    this.registry.registerMetric(histogram as never);
    return histogram;
  }

  private describe(name: string, help: string, labelNames: readonly string[]) {
    return { name, help, labelNames: ['operator', ...labelNames], registers: [this.registry as never] };
  }

  /**
   * Finds a metric that another operator has made.
   *
   * @throws KopfOptionsError if another component has a metric of this name in the registry.
   */
  private find<M extends object>(name: string, type: abstract new (...args: never[]) => M): M | undefined {
    const metric: object | undefined = this.registry.getSingleMetric(name);
    if (metric === undefined || metric instanceof type) return metric;
    throw new KopfOptionsError(
      [`registry has another metric '${name}' already; leave the option out for a separate registry`],
      'KopfMetricsModule',
    );
  }

  private collectWith(readers: Set<Reader>, reader: Reader): void {
    readers.add(reader);
    this.closers.push(() => {
      reader();
      readers.delete(reader);
    });
  }

  private complete(labels: MetricLabels): MetricLabels {
    return { operator: this.operator, ...labels };
  }
}
