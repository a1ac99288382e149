import type { ObjectStore } from '../storage/object.store.js';
import type { ResourceCollection } from '../storage/resource.collection.js';
import type { RequestInfo } from './request.info.js';

/** The bounds of the real server's histogram of latencies, in seconds. */
const BOUNDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** Limits the number of series, as names of resources that do not exist are the clients' choice. */
const MAX_SERIES = 5000;
const VERBS: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT' };

interface Latencies {
  readonly counts: number[];
  sum: number;
}

/** Counts requests, and shows them as text for Prometheus, under the names that the real server has. */
export class RequestMetrics {
  private readonly totals = new Map<string, number>();
  private readonly latencies = new Map<string, Latencies>();
  private readonly open = new Map<string, number>();

  /** @param store whose objects are counted when they are asked for */
  constructor(private readonly store: ObjectStore) {}

  /** Counts a request that was answered. @param seconds the time from its arrival to the answer */
  count(info: RequestInfo, contentType: string | undefined, code: number, seconds: number): void {
    const series = labels(info, contentType);
    const total = `code="${code}",${series}`;
    if (this.totals.size >= MAX_SERIES && !this.totals.has(total)) return;
    this.totals.set(total, (this.totals.get(total) ?? 0) + 1);
    let latencies = this.latencies.get(series);
    if (!latencies) this.latencies.set(series, (latencies = { counts: [...BOUNDS, 0].fill(0), sum: 0 }));
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    latencies.counts[bucket < 0 ? BOUNDS.length : bucket]! += 1;
    latencies.sum += seconds;
  }

  /** Counts a watch as open. @returns the function that ends it */
  begin(info: RequestInfo): () => void {
    const series = labels(info, undefined);
    this.open.set(series, (this.open.get(series) ?? 0) + 1);
    return () => void this.open.set(series, this.open.get(series)! - 1);
  }

  /** The text of `/metrics`. */
  text(): string {
    const lines = [
      ...family(
        'apiserver_request_total',
        'counter',
        'Counter of apiserver requests by what they asked for and the code.',
      ),
      ...[...this.totals].map(([series, count]) => `apiserver_request_total{${series}} ${count}`),
      ...family('apiserver_request_duration_seconds', 'histogram', 'Response latency distribution in seconds.'),
      ...[...this.latencies].flatMap(([series, each]) => histogram('apiserver_request_duration_seconds', series, each)),
      ...family('apiserver_longrunning_requests', 'gauge', 'Gauge of all active long-running apiserver requests.'),
      ...[...this.open].map(([series, count]) => `apiserver_longrunning_requests{${series}} ${count}`),
      ...family('apiserver_resource_objects', 'gauge', 'Number of stored objects split by kind.'),
      ...[...this.store.all()].flatMap(objectLines),
      ...processLines(),
    ];
    return `${lines.join('\n')}\n`;
  }
}

function objectLines({ key, size }: ResourceCollection): string[] {
  const [plural, ...group] = key.split('.');
  return size > 0 ? [`apiserver_resource_objects{group="${group.join('.')}",resource="${plural}"} ${size}`] : [];
}

function labels({ path, verb, target, query }: RequestInfo, contentType: string | undefined): string {
  const isApply = verb === 'patch' && contentType?.startsWith('application/apply-patch') === true;
  const shown = isApply ? 'APPLY' : (VERBS[verb] ?? verb.toUpperCase());
  const dryRun = query.has('dryRun') ? escaped(query.get('dryRun')!) : '';
  const { group = '', version = '', plural = '', subresource = '', name = '', namespace = '' } = target ?? {};
  const scope = !target ? '' : name || verb === 'create' ? 'resource' : namespace ? 'namespace' : 'cluster';
  const sub = escaped(target ? subresource : path.replace(/^\/+|\/+$/g, ''));
  const resource = `resource="${escaped(plural)}",scope="${scope}",subresource="${sub}"`;
  return `component="apiserver",dry_run="${dryRun}",group="${escaped(group)}",${resource},verb="${escaped(shown)}",version="${escaped(version)}"`;
}

function escaped(value: string): string {
  return value.slice(0, 200).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function family(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function histogram(name: string, series: string, { counts, sum }: Latencies): string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return `${name}_bucket{${series},le="${BOUNDS[index] ?? '+Inf'}"} ${total}`;
  });
  return [...buckets, `${name}_sum{${series}} ${sum}`, `${name}_count{${series}} ${total}`];
}

/** The process's own figures, under the names that all Prometheus clients have for them. */
function processLines(): string[] {
  const { user, system } = process.cpuUsage();
  return [
    ...family('process_cpu_seconds_total', 'counter', 'Total user and system CPU time spent in seconds.'),
    `process_cpu_seconds_total ${(user + system) / 1e6}`,
    ...family('process_resident_memory_bytes', 'gauge', 'Resident memory size in bytes.'),
    `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
  ];
}
