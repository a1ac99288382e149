import type { MetricObjectWithValues, MetricValueWithName, Registry } from 'prom-client';
import type { ObjectStore } from '../storage/object.store.js';
import type { ResourceCollection } from '../storage/resource.collection.js';
import type { RequestInfo } from './request.info.js';

/** The bounds of the real server's histogram of latencies, in seconds. */
const BOUNDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** The largest number of series, as clients choose the names of resources that do not exist. */
const MAX_SERIES = 5000;
const VERBS: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT' };

type Labels = Readonly<Record<string, string>>;
type Sample = MetricValueWithName<string>;

interface Total {
  readonly labels: Labels;
  count: number;
}

interface Latencies {
  readonly labels: Labels;
  readonly counts: number[];
  sum: number;
}

/**
 * The counts of requests, under the names that the real server has.
 *
 * They are plain fields until a client asks for them, and prom-client makes a text of them, which is not loaded before then: a server
 * starts in less time than that takes.
 */
export class RequestMetrics {
  private readonly totals = new Map<string, Total>();
  private readonly latencies = new Map<string, Latencies>();
  private readonly open = new Map<string, Total>();

  /** @param store whose objects are counted when they are asked for */
  constructor(private readonly store: ObjectStore) {}

  /** Counts a request that was answered. @param seconds the time from its arrival to the answer */
  count(info: RequestInfo, contentType: string | undefined, code: number, seconds: number): void {
    const labels = labelsOf(info, contentType);
    const series = keyOf(labels);
    const total = `${code}${series}`;
    if (this.totals.size >= MAX_SERIES && !this.totals.has(total)) return;
    counted(this.totals, total, { code: String(code), ...labels }).count += 1;
    let latencies = this.latencies.get(series);
    if (!latencies) this.latencies.set(series, (latencies = { labels, counts: [...BOUNDS, 0].fill(0), sum: 0 }));
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    latencies.counts[bucket < 0 ? BOUNDS.length : bucket]! += 1;
    latencies.sum += seconds;
  }

  /** Counts a watch as open. @returns the function that ends it */
  begin(info: RequestInfo): () => void {
    const labels = labelsOf(info, undefined);
    const total = counted(this.open, keyOf(labels), labels);
    total.count += 1;
    return () => void (total.count -= 1);
  }

  /** Returns the text of `/metrics`. */
  async text(): Promise<string> {
    const { Registry } = await import('prom-client');
    const registry = new Registry();
    register(registry, 'apiserver_request_total', 'counter', {
      help: 'Counter of apiserver requests by what they asked for and the code.',
      samples: samplesOf(this.totals),
    });
    register(registry, 'apiserver_request_duration_seconds', 'histogram', {
      help: 'Response latency distribution in seconds.',
      samples: [...this.latencies.values()].flatMap((each) => buckets('apiserver_request_duration_seconds', each)),
    });
    register(registry, 'apiserver_longrunning_requests', 'gauge', {
      help: 'Gauge of all active long-running apiserver requests.',
      samples: samplesOf(this.open),
    });
    register(registry, 'apiserver_resource_objects', 'gauge', {
      help: 'Number of stored objects split by kind.',
      samples: [...this.store.all()].flatMap(objectSamples),
    });
    const { user, system } = process.cpuUsage();
    register(registry, 'process_cpu_seconds_total', 'counter', {
      help: 'Total user and system CPU time spent in seconds.',
      samples: [{ labels: {}, value: (user + system) / 1e6 }],
    });
    register(registry, 'process_resident_memory_bytes', 'gauge', {
      help: 'Resident memory size in bytes.',
      samples: [{ labels: {}, value: process.memoryUsage.rss() }],
    });
    return registry.metrics();
  }
}

/** Adds a metric with known samples to a registry. */
function register(
  registry: Registry,
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  { help, samples }: { readonly help: string; readonly samples: readonly Omit<Sample, 'metricName'>[] },
): void {
  const values = samples as Sample[];
  // The types of prom-client name a type and an aggregator by what it does not export.
  const scrape = { name, help, type, aggregator: 'sum', values } as never as MetricObjectWithValues<Sample>;
  registry.registerMetric({ name, help, type, get: () => Promise.resolve(scrape), reset: () => undefined } as never);
}

function counted(totals: Map<string, Total>, key: string, labels: Labels): Total {
  let total = totals.get(key);
  if (!total) totals.set(key, (total = { labels, count: 0 }));
  return total;
}

function samplesOf(totals: ReadonlyMap<string, Total>): Omit<Sample, 'metricName'>[] {
  return [...totals.values()].map(({ labels, count }) => ({ labels, value: count }));
}

function objectSamples({ key, size }: ResourceCollection): Omit<Sample, 'metricName'>[] {
  const [resource = '', ...group] = key.split('.');
  return size > 0 ? [{ labels: { group: group.join('.'), resource }, value: size }] : [];
}

function buckets(name: string, { labels, counts, sum }: Latencies): Sample[] {
  let count = 0;
  const samples: Sample[] = counts.map((each, index) => {
    count += each;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: BOUNDS[index] ?? '+Inf' }, value: count };
  });
  return [
    ...samples,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

function labelsOf({ path, verb, target, query }: RequestInfo, contentType: string | undefined): Labels {
  const isApply = verb === 'patch' && contentType?.startsWith('application/apply-patch') === true;
  const { group = '', version = '', plural = '', subresource = '', name = '', namespace = '' } = target ?? {};
  return {
    component: 'apiserver',
    dry_run: shortened(query.get('dryRun') ?? ''),
    group: shortened(group),
    resource: shortened(plural),
    scope: !target ? '' : name || verb === 'create' ? 'resource' : namespace ? 'namespace' : 'cluster',
    subresource: shortened(target ? subresource : path.replace(/^\/+|\/+$/g, '')),
    verb: shortened(isApply ? 'APPLY' : (VERBS[verb] ?? verb.toUpperCase())),
    version: shortened(version),
  };
}

/** Makes the key of a series from the values of its labels. */
function keyOf(labels: Labels): string {
  return Object.values(labels).join('\n');
}

/** Shortens labels that clients choose, which are names of series. */
function shortened(value: string): string {
  return value.slice(0, 200);
}
