import type { Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { KopfOperator, KopfSettings } from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { Vault } from '../../../libs/kopf/src/client/vault/vault.js';
import { KOPF_CLOCK, KOPF_LOGGER, KOPF_RANDOM } from '../../../libs/kopf/src/kopf.tokens.js';
import { createVault } from '../../../libs/kopf/src/operator/vault.factory.js';
import type { OperatorHarness } from '../../support/operator.harness.js';

/** Makes an application of a whole module, as it is, on the cluster and the time of a harness. Closed with the test. */
export async function createApplication(
  { kube, clock, logger }: OperatorHarness,
  module: Type,
): Promise<TestingModule> {
  const credentials = { server: 'http://embedded', transport: kube.transport() };
  const random = new SeededRandom(3);
  const application = await Test.createTestingModule({ imports: [module] })
    .overrideProvider(KOPF_CLOCK)
    .useValue(clock)
    .overrideProvider(KOPF_RANDOM)
    .useValue(random)
    .overrideProvider(KOPF_LOGGER)
    .useValue(logger)
    .overrideProvider(Vault)
    .useFactory({
      factory: (settings: KopfSettings) => createVault({ credentials }, settings, clock, random, logger),
      inject: [KopfSettings] as never,
    })
    .setLogger(false as never)
    .compile();
  onTestFinished(() => clock.runUntil(application.close()));
  await clock.runUntil(application.init());
  return application;
}

/** As {@link createApplication}, until the operator is ready. */
export async function runApplication(harness: OperatorHarness, module: Type): Promise<TestingModule> {
  const application = await createApplication(harness, module);
  await harness.clock.runUntil(application.get(KopfOperator).ready());
  await harness.clock.settle();
  return application;
}
