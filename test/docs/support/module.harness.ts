import type { LoggerService, Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { KopfOperator, KopfSettings } from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { Vault } from '../../../libs/kopf/src/client/vault/vault.js';
import { KOPF_CLOCK, KOPF_LOGGER, KOPF_RANDOM } from '../../../libs/kopf/src/kopf.tokens.js';
import { createVault } from '../../../libs/kopf/src/operator/vault.factory.js';
import type { OperatorHarness } from '../../support/operators/operator.harness.js';

/**
 * Makes an application of a whole module, as it is, on the cluster and the time of a harness. Closed with the test.
 *
 * @param nestLogger the application's logger, which the operator writes to. @default none; the lines go to the harness
 */
export async function createApplication(
  { kube, clock, logger }: OperatorHarness,
  module: Type,
  nestLogger?: LoggerService,
): Promise<TestingModule> {
  const credentials = { server: 'http://embedded', transport: kube.transport() };
  const random = new SeededRandom(3);
  const builder = Test.createTestingModule({ imports: [module] })
    .overrideProvider(KOPF_CLOCK)
    .useValue(clock)
    .overrideProvider(KOPF_RANDOM)
    .useValue(random)
    .overrideProvider(Vault)
    .useFactory({
      factory: (settings: KopfSettings) => createVault({ credentials }, settings, clock, random, logger),
      inject: [KopfSettings] as never,
    })
    .setLogger(nestLogger ?? (false as never));
  if (!nestLogger) builder.overrideProvider(KOPF_LOGGER).useValue(logger);
  const application = await builder.compile();
  onTestFinished(() => clock.runUntil(application.close()));
  await clock.runUntil(application.init());
  return application;
}

/** As {@link createApplication}, until the operator is ready. */
export async function runApplication(
  harness: OperatorHarness,
  module: Type,
  nestLogger?: LoggerService,
): Promise<TestingModule> {
  const application = await createApplication(harness, module, nestLogger);
  await harness.clock.runUntil(application.get(KopfOperator).ready());
  await harness.clock.settle();
  return application;
}
