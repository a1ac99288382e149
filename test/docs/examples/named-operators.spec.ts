import type { Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { getOperatorToken, KOPF_CLOCK, KOPF_LOGGER, KopfAdmission, KopfOperator, KopfSettings } from 'nestjs-kopf';
import { KopfHealthIndicator } from 'nestjs-kopf/health';
import { SeededRandom } from 'nestjs-kopf/testing';
import { Vault } from '../../../libs/kopf/src/client/vault/vault.js';
import { createVault } from '../../../libs/kopf/src/operator/vault.factory.js';
import { SilentLogger } from '../../support/telemetry/memory.logger.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview } from '../../support/webhooks/reviews.js';
import {
  AppModule,
  AuditOperator,
  ClustersController,
  ClustersModule,
  EdgeAdmissionModule,
  EdgeAuditOperator,
  HealthController,
  HealthModule,
  ProbeModule,
} from './named-operators.example.js';

/** Makes an application of the page's module and of others, each operator of it on the cluster of a harness. */
async function start(
  main: OperatorHarness,
  edge: OperatorHarness,
  imports: Type[] = [],
  providers: Type[] = [],
): Promise<TestingModule> {
  const builder = Test.createTestingModule({ imports: [...imports, AppModule], providers }).setLogger(
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
    [main, edge] = [await OperatorHarness.start(), await OperatorHarness.start()];
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
    const review = makeReview(makeExample({}));
    const answer = await application
      .get(getOperatorToken('edge', KopfAdmission))
      .review(review, { webhook: 'checkField', headers: {} });
    expect(answer.response.status?.message).toBe('The field must be set.');
    const other = application.get(KopfAdmission).review(review, { webhook: 'checkField', headers: {} });
    await expect(other).rejects.toMatchObject({ status: 503 });
  });
});
