import { CoreV1Api } from '@kubernetes/client-node';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { KopfAdmissionModule, KopfBootstrapError, KopfModule, OnCreate } from 'nestjs-kopf';
import { KopfConsoleModule } from 'nestjs-kopf-console';
import { KopfHealthModule } from 'nestjs-kopf/health';
import { KopfMetricsModule } from 'nestjs-kopf/metrics';
import { KopfTracingModule } from 'nestjs-kopf/tracing';

class Handlers {
  @OnCreate('configmaps.v1')
  create() {}
}

/** Compiles an application in which other things of the library are missing, too; returns the first paragraph of the error. */
async function compile(...imports: (DynamicModule | Type)[]): Promise<string> {
  @Module({ imports })
  class FeatureModule {}
  const builder = Test.createTestingModule({ imports: [FeatureModule], providers: [Handlers] }).setLogger(
    false as never,
  );
  const error = await builder.compile().then(
    () => undefined,
    (reason: Error) => reason,
  );
  return error?.message.split('\n')[0] ?? 'no error';
}

const sentence = (module: string, missing: string): string =>
  `Nest can't resolve dependencies of the ${module} (?). Please make sure that the argument "${missing}" at index [0] is available in the `;

describe('An application without the operator that its modules are for', () => {
  it.each<[string, DynamicModule]>([
    ['KopfHealthModule', KopfHealthModule.forRoot({ controller: true })],
    ['KopfMetricsModule', KopfMetricsModule.forRoot()],
    ['KopfTracingModule', KopfTracingModule.forRoot()],
    ['KopfConsoleModule', KopfConsoleModule.forRoot()],
    ['KopfAdmissionModule', KopfAdmissionModule.forRoot({ url: 'https://api.example.com' })],
    ['KopfModule.forFeature()', KopfModule.forFeature({ apis: [CoreV1Api] })],
  ])('should be told by %s that KopfModule.forRoot() is missing', async (name, module) => {
    expect(await compile(module)).toContain(sentence(name, 'KopfModule.forRoot()'));
  });

  it('should be told the name of an operator that does not exist', async () => {
    const health = KopfHealthModule.forRoot({ operators: ['default', 'edge'] });
    expect(await compile(health, KopfModule.forRoot({ enabled: false }))).toContain(
      `the KopfHealthModule (KopfModule.forRoot(), ?). Please make sure that the argument "KopfModule.forRoot({ name: 'edge' })"`,
    );
  });

  it('should not start if KopfModule is imported as a class only', async () => {
    const start = () => Test.createTestingModule({ imports: [KopfModule], providers: [Handlers] }).compile();
    await expect(start()).rejects.toThrow(KopfBootstrapError);
    await expect(start()).rejects.toThrow(/^KopfModule is imported without forRoot\(\), .* in the root module$/);
  });

  it('should start if the class is imported beside the module', async () => {
    const imports = [KopfModule, KopfModule.forRoot({ enabled: false })];
    const module = await Test.createTestingModule({ imports, providers: [Handlers] }).compile();
    await module.init();
    await module.close();
  });
});
