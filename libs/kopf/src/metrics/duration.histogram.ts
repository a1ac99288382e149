import type { MetricObjectWithValues, MetricValueWithName } from 'prom-client';
import type { ExemplarMessage, ExemplarSource } from './metrics.options.js';

/** The values of the labels of one series. */
export type MetricLabels = Readonly<Record<string, string>>;

/** The greatest length of the labels of an exemplar in OpenMetrics, in characters, names included. */
const EXEMPLAR_LIMIT = 128;

/** One value of a scrape, as the registry writes it. */
type Sample = MetricValueWithName<string> & { readonly exemplar?: Exemplar };

/** An exemplar of a bucket, as the registry writes it. */
interface Exemplar {
  readonly labelSet: Readonly<Record<string, string>>;
  readonly value: number;
  /** Seconds since the epoch. */
  readonly timestamp: number;
}

/**
 * A histogram of seconds in a registry of prom-client, with the series of several operators.
 *
 * That of prom-client looks up the series by its labels at each observation, which costs more than all the rest of a metric.
 */
export class DurationHistogram {
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  private readonly all = new Map<string, HistogramSeries>();

  constructor(
    readonly name: string,
    readonly help: string,
    /** Upper bounds in seconds, from the smallest one. */
    private readonly bounds: readonly number[],
  ) {}

  /** Creates a series of zeros; a series with the same labels is replaced. */
  series(labels: MetricLabels, exemplars?: ExemplarSource): HistogramSeries {
    const series = new HistogramSeries(this.bounds, labels, exemplars);
    this.all.set(JSON.stringify(Object.entries(labels).sort()), series);
    return series;
  }

  /** Called by the registry for each scrape. */
  get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const values = [...this.all.values()].flatMap((series) => [...series.samples(this.name)]);
    // prom-client does not export the types of `type` and `aggregator`.
    return Promise.resolve({
      name: this.name,
      help: this.help,
      type: this.type,
      aggregator: this.aggregator,
      values,
    } as never);
  }

  /** Resets the histogram; called by the registry when all of its metrics are reset. */
  reset(): void {
    for (const series of this.all.values()) series.reset();
  }
}

/** One series of a histogram. */
export class HistogramSeries {
  /** The numbers of observations by their buckets; the last one is for those beyond all bounds. */
  private readonly counts: number[];
  private readonly examples: (Exemplar | undefined)[] = [];
  private sum = 0;

  constructor(
    private readonly bounds: readonly number[],
    private readonly labels: MetricLabels,
    private readonly exemplars?: ExemplarSource,
  ) {
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** @param message the work, of which the exemplar is made. @default no exemplar */
  observe(seconds: number, message?: ExemplarMessage): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && seconds > bounds[bucket]) bucket += 1;
    this.counts[bucket] += 1;
    this.sum += seconds;
    if (this.exemplars && message) this.exemplify(bucket, seconds, message, this.exemplars(message));
  }

  reset(): void {
    this.counts.fill(0);
    this.examples.length = 0;
    this.sum = 0;
  }

  /** Returns the values of this series for a scrape; those of buckets are cumulative. */
  *samples(name: string): Generator<Sample> {
    const { labels, counts, bounds, examples } = this;
    let count = 0;
    for (let bucket = 0; bucket < counts.length; bucket++) {
      count += counts[bucket];
      const le = bucket < bounds.length ? bounds[bucket] : '+Inf';
      yield { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count, exemplar: examples[bucket] };
    }
    yield { metricName: `${name}_sum`, labels, value: this.sum };
    yield { metricName: `${name}_count`, labels, value: count };
  }

  /** Keeps an exemplar of the bucket, unless its labels are too long for the format: Prometheus would refuse the whole scrape. */
  private exemplify(bucket: number, value: number, message: ExemplarMessage, labels: MetricLabels = {}): void {
    const length = Object.entries(labels).flat().join('').length;
    if (length === 0 || length > EXEMPLAR_LIMIT) return;
    const timestamp = message.startedAt / 1000 + (message.duration ?? 0);
    this.examples[bucket] = { labelSet: labels, value, timestamp };
  }
}
