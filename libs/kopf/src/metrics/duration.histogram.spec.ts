import { Registry, type OpenMetricsContentType } from 'prom-client';
import type { RequestMessage } from '../diagnostics/channels.js';
import { DurationHistogram } from './duration.histogram.js';

const MESSAGE = { startedAt: 1_600_000_000_000, duration: 2 } as RequestMessage;

describe('DurationHistogram', () => {
  function create() {
    const registry = new Registry<OpenMetricsContentType>();
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const histogram = new DurationHistogram('work_seconds', 'Seconds of work.', [0.1, 1]);
    registry.registerMetric(histogram as never);
    const scrape = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('work'));
    return { histogram, registry, scrape };
  }

  it('should count observations in cumulative buckets, upper bounds included', async () => {
    const { histogram, scrape } = create();
    const series = histogram.series({ controller: 'pods' });
    for (const seconds of [0.05, 0.1, 0.5, 1, 7]) series.observe(seconds);
    expect(await scrape()).toEqual([
      'work_seconds_bucket{le="0.1",controller="pods"} 2',
      'work_seconds_bucket{le="1",controller="pods"} 4',
      'work_seconds_bucket{le="+Inf",controller="pods"} 5',
      'work_seconds_sum{controller="pods"} 8.65',
      'work_seconds_count{controller="pods"} 5',
    ]);
  });

  it('should reset a series that is made again with the same labels, and keep the others', async () => {
    const { histogram, scrape } = create();
    histogram.series({ operator: 'a', controller: 'pods' }).observe(1);
    histogram.series({ operator: 'b', controller: 'pods' }).observe(1);
    histogram.series({ controller: 'pods', operator: 'a' });
    const counts = (await scrape()).filter((line) => line.startsWith('work_seconds_count'));
    expect(counts).toEqual([
      'work_seconds_count{controller="pods",operator="a"} 0',
      'work_seconds_count{operator="b",controller="pods"} 1',
    ]);
  });

  it('should be reset with the registry', async () => {
    const { histogram, registry, scrape } = create();
    const series = histogram.series({});
    series.observe(1);
    registry.resetMetrics();
    series.observe(0.5);
    expect(await scrape()).toContain('work_seconds_sum 0.5');
  });

  it.each([
    [{ trace_id: 'a' }, ' # {trace_id="a"} 0.5 1600000002'],
    [{ trace_id: 'a'.repeat(120) }, ` # {trace_id="${'a'.repeat(120)}"} 0.5 1600000002`],
    [{ trace_id: 'a'.repeat(121) }, ''],
    [{}, ''],
    [undefined, ''],
  ])('should show %o as an exemplar, if it can be one', async (labels, expected) => {
    const { histogram, scrape } = create();
    histogram.series({}, () => labels).observe(0.5, MESSAGE);
    expect(await scrape()).toContain(`work_seconds_bucket{le="1"} 1${expected}`);
  });
});
