import type { Type } from '@nestjs/common';
import { HealthCheckService } from '@nestjs/terminus';
import { KopfHealthIndicator } from 'nestjs-kopf/health';
import { startWithDisks } from '../../support/operators/disks.js';
import { runApplication } from '../support/module.harness.js';
import { AppModule, AsyncModule, CombinedModule, HealthController, PoolOperator } from './health.example.js';

describe('The examples of health', () => {
  const run = async (module: Type) => runApplication(await startWithDisks(), module);

  it('should tell how the operator is', async () => {
    const application = await run(AppModule);
    const indicator = application.get(KopfHealthIndicator, { strict: false });
    expect(await indicator.isReady()).toMatchObject({ kopf: { status: 'up' } });
    expect(await indicator.isLive()).toMatchObject({ kopf: { status: 'up', probes: { handlers: {} } } });
  });

  it('should be combined with what else is to be in order', async () => {
    const harness = await startWithDisks();
    await harness.create('a');
    const application = await runApplication(harness, CombinedModule);
    expect(application.get(HealthCheckService, { strict: false })).toBeDefined();
    const { status, details } = await application.get(HealthController).check();
    expect(status).toBe('ok');
    expect(Object.keys(details).sort()).toEqual(['heap', 'operator']);
    expect(details.operator.probes).toEqual({
      status: 'up',
      handlers: {
        objects: { status: 'up', result: 1 },
        pool: { status: 'up', result: { connections: 1 } },
      },
    });
    application.get(PoolOperator).connections = 0;
    await harness.advance(11);
    await expect(application.get(HealthController).check()).rejects.toMatchObject({ status: 503 });
  });

  it('should take options that are made when the application starts', async () => {
    const application = await run(AsyncModule);
    const indicator = application.get(KopfHealthIndicator, { strict: false });
    expect(await indicator.isReady()).toMatchObject({ kopf: { status: 'up' } });
  });
});
