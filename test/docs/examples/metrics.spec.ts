import { KubeClient } from 'nestjs-kopf';
import { KopfMetrics } from 'nestjs-kopf/metrics';
import { register, type Registry } from 'prom-client';
import type { Type } from '@nestjs/common';
import { startWithDisks } from '../../support/operators/disks.js';
import { parseExposition } from '../../support/telemetry/exposition.js';
import { runApplication } from '../support/module.harness.js';
import { AppModule, ExemplarModule, GuardedModule, ScrapeGuard, SharedModule, traces } from './metrics.example.js';

describe('The examples of metrics', () => {
  afterAll(() => (register as Registry).clear());

  const run = async (module: Type) => runApplication(await startWithDisks(), module);
  const namesOf = (text: string) => parseExposition(text).map(({ name }) => name);

  it('should measure the operator', async () => {
    const application = await run(AppModule);
    const text = await application.get(KopfMetrics, { strict: false }).scrape();
    expect(namesOf(text)).toContain('kopf_operator_state');
  });

  it('should add the metrics to the registry that is there', async () => {
    await run(SharedModule);
    expect(namesOf(await register.metrics())).toContain('kopf_operator_state');
  });

  it('should guard the metrics', async () => {
    const application = await run(GuardedModule);
    const guard = application.get(ScrapeGuard, { strict: false });
    const ask = (authorization?: string) =>
      guard.canActivate({ switchToHttp: () => ({ getRequest: () => ({ headers: { authorization } }) }) } as never);
    vi.stubEnv('SCRAPE_TOKEN', 'secret');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect([ask(), ask('Bearer wrong'), ask('Bearer secret')]).toEqual([false, false, true]);
  });

  it('should add exemplars', async () => {
    const harness = await startWithDisks();
    const application = await runApplication(harness, ExemplarModule);
    const client = application.get(KubeClient, { strict: false });
    await traces.run('abc', () => harness.clock.runUntil(client.list('pods', { namespace: 'ns' })));
    const text = await application.get(KopfMetrics, { strict: false }).scrape();
    const samples = parseExposition(text, 'openmetrics').flatMap((family) => family.samples);
    expect(samples.filter(({ exemplar }) => exemplar?.labels.trace_id === 'abc').length).toBeGreaterThan(0);
  });
});
