import { UseGuards, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  getOperatorToken,
  KOPF_CLOCK,
  KOPF_LOGGER,
  KopfAdmission,
  KopfOperator,
  KopfSettings,
  OnCreate,
} from 'nestjs-kopf';
import { KopfHealthIndicator } from 'nestjs-kopf/health';
import { SeededRandom } from 'nestjs-kopf/testing';
import { Vault } from '../../../libs/kopf/src/client/vault/vault.js';
import { createVault } from '../../../libs/kopf/src/operator/vault.factory.js';
import { makeDiskReview, startWithDisks } from '../../support/operators/disks.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { SilentLogger } from '../../support/telemetry/memory.logger.js';
import { createApplication, runApplication } from '../support/module.harness.js';
import {
  AppModule,
  AuditOperator,
  ClustersController,
  ClustersModule,
  CountedOperator,
  CountingInterceptor,
  EdgeAdmissionModule,
  EdgeAuditOperator,
  HealthController,
  HealthModule,
  ManualModule,
  OperatorController,
  PodsController,
  ProbeModule,
  ReportsService,
  TimedModule,
  TimingInterceptor,
  TwoClustersModule,
} from './embedding.example.js';

describe('The examples of embedding', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await startWithDisks();
    const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'image' }] } };
    await harness.send('POST', '/api/v1/namespaces/ns/pods', pod);
  });

  it('should serve what the operator sees', async () => {
    const application = await runApplication(harness, AppModule);
    expect(application.get(PodsController).list()).toEqual(['web']);
    await harness.send('DELETE', '/api/v1/namespaces/ns/pods/web?gracePeriodSeconds=0');
    await harness.advance(1);
    expect(application.get(PodsController).list()).toEqual([]);
  });

  it('should start and stop the operator', async () => {
    const application = await createApplication(harness, ManualModule);
    const controller = application.get(OperatorController);
    const handlers = ['PodsService.note'];
    expect(controller.describe()).toEqual({ state: 'idle', objects: 0, daemons: 0, watches: [], handlers });
    await harness.clock.runUntil(controller.start());
    const watches = ['pods: watching'];
    expect(controller.describe()).toEqual({ state: 'running', objects: 1, daemons: 0, watches, handlers });
    await harness.clock.runUntil(controller.stop());
    expect(controller.describe().state).toBe('stopped');
    await harness.clock.runUntil(controller.start());
    expect(controller.describe().state).toBe('running');
  });

  it('should call handlers of a module that is loaded lazily', async () => {
    await harness.run([ReportsService]);
    await harness.get(ReportsService).enable();
    await harness.create('a');
    await harness.advance(1);
    expect(harness.logger.messages('log').join()).toContain('a is reported');
  });

  it('should put interceptors around handlers', async () => {
    await harness.run([CountedOperator, CountingInterceptor]);
    await harness.create('a');
    await harness.advance(1);
    expect((await harness.object('a')).status).toEqual({ create: 'made a' });
    expect(harness.get(CountingInterceptor).calls).toEqual(['create of a']);
  });

  it('should put global interceptors around handlers', async () => {
    const application = await runApplication(harness, TimedModule);
    expect(application.get(TimingInterceptor).timed).toEqual(['kopf: PodsService.note']);
  });

  it('should retry handlers that a guard has refused', async () => {
    const attempts: string[] = [];
    @UseGuards({ canActivate: (context) => attempts.push(context.getType()) > 1 })
    class Guarded {
      @OnCreate('disks.example.com', { backoff: 10 })
      create() {
        return 'permitted';
      }
    }
    await harness.run(Guarded);
    await harness.create('a');
    await harness.advance(9);
    expect(harness.logger.messages('error')).toEqual([
      "[ns/a] Handler 'create' failed with an exception and will try again in 10 seconds: Forbidden resource",
    ]);
    await harness.advance(2);
    expect((await harness.object('a')).status).toEqual({ create: 'permitted' });
    expect(attempts).toEqual(['kopf', 'kopf']);
  });
});

/** Makes an application of the page's module and of others, each operator of it on the cluster of a harness. */
async function start(
  main: OperatorHarness,
  edge: OperatorHarness,
  imports: Type[] = [],
  providers: Type[] = [],
): Promise<TestingModule> {
  const builder = Test.createTestingModule({ imports: [...imports, TwoClustersModule], providers }).setLogger(
    new SilentLogger(),
  );
  for (const [name, { clock, kube, logger }] of [['default', main] as const, ['edge', edge] as const]) {
    const credentials = { server: 'http://embedded', transport: kube.transport() };
    const settings = getOperatorToken(name, KopfSettings);
    builder.overrideProvider(getOperatorToken(name, KOPF_CLOCK)).useValue(clock);
    builder.overrideProvider(getOperatorToken(name, KOPF_LOGGER)).useValue(logger);
    builder.overrideProvider(getOperatorToken(name, Vault)).useFactory({
      factory: (found: KopfSettings) => createVault({ credentials }, found, clock, new SeededRandom(3), logger),
      inject: [settings] as never,
    });
  }
  const application = await builder.compile();
  const outlast = async (promise: Promise<unknown>): Promise<void> =>
    void (await Promise.all([main, edge].map(({ clock }) => clock.runUntil(promise))));
  onTestFinished(() => outlast(application.close()));
  await outlast(application.init());
  await outlast(application.get(KopfOperator).ready());
  await outlast(application.get(getOperatorToken('edge')).ready());
  return application;
}

describe('The examples of several operators', () => {
  let main: OperatorHarness;
  let edge: OperatorHarness;

  beforeEach(async () => {
    [main, edge] = [await startWithDisks(), await startWithDisks()];
    await edge.send('POST', '/api/v1/namespaces', { metadata: { name: 'shops' } });
  });

  const createBoth = async (): Promise<void> => {
    await main.create('a');
    await edge.create('b', { metadata: { name: 'b', namespace: 'shops' }, spec: {} });
    for (const { clock } of [main, edge]) await clock.advance(1000);
  };

  it('should handle the objects of two clusters', async () => {
    await start(main, edge);
    await createBoth();
    expect(main.logger.messages('log')).toContain('[ns/a] a was created in the main cluster.');
    expect(edge.logger.messages('log')).toContain('[shops/b] b was created in the edge cluster.');
  });

  it('should call the same handlers in both', async () => {
    const application = await start(main, edge, [], [AuditOperator, EdgeAuditOperator]);
    await createBoth();
    expect(application.get(AuditOperator).seen).toEqual(['a']);
    expect(application.get(EdgeAuditOperator).seen).toEqual(['b']);
  });

  it('should inject the services of an operator with a name', async () => {
    const application = await start(main, edge, [ClustersModule]);
    await createBoth();
    const shown = await application.get(ClustersController, { strict: false }).show();
    expect(shown.states).toEqual({ main: 'running', edge: 'running' });
    expect(shown.namespaces).toContain('shops');
    expect(shown.examples).toEqual(['b']);
  });

  it('should have one probe of both', async () => {
    const application = await start(main, edge, [ProbeModule]);
    const indicators = [KopfHealthIndicator, getOperatorToken('edge', KopfHealthIndicator)].map((token) =>
      application.get<KopfHealthIndicator>(token, { strict: false }),
    );
    const reports = await Promise.all(indicators.map((indicator) => indicator.isReady()));
    expect(Object.assign({}, ...reports)).toMatchObject({ kopf: { status: 'up' }, 'kopf-edge': { status: 'up' } });
  });

  it('should combine the health of both', async () => {
    const application = await start(main, edge, [HealthModule]);
    const controller = application.get(HealthController, { strict: false });
    const up = expect.objectContaining({ status: 'up' });
    expect((await controller.checkReadiness()).details).toEqual({ kopf: up, 'kopf-edge': up });
    expect((await controller.checkLiveness()).details).toEqual({ kopf: up, 'kopf-edge': up });
    await edge.clock.runUntil(application.get(getOperatorToken('edge')).stop());
    await expect(controller.checkReadiness()).rejects.toThrow(/Service Unavailable/);
  });

  it('should answer reviews by the handlers of one operator', async () => {
    const application = await start(main, edge, [EdgeAdmissionModule]);
    const review = makeDiskReview({});
    const answer = await application
      .get(getOperatorToken('edge', KopfAdmission))
      .review(review, { webhook: 'checkTier', headers: {} });
    expect(answer.response.status?.message).toBe('The tier must be set.');
    const other = application.get(KopfAdmission).review(review, { webhook: 'checkTier', headers: {} });
    await expect(other).rejects.toMatchObject({ status: 503 });
  });
});
