import { Module, type DynamicModule } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { KopfModule, KopfOperator, OnCreate } from 'nestjs-kopf';
import { ScriptedTransport } from '../../support/scripted.api.js';

class Handlers {
  @OnCreate('kopf.dev/v1', 'kopfexamples')
  create() {}
}

describe('The module, imported by several modules', () => {
  let transport: ScriptedTransport;

  beforeEach(() => {
    transport = new ScriptedTransport(() => ({ json: { items: [] } }));
  });

  const options = () => ({ enabled: false, credentials: { server: 'http://embedded', transport } });

  const compile = (...imports: DynamicModule[]): Promise<TestingModule> => {
    @Module({ imports: [imports[0]] })
    class BillingModule {}
    @Module({ imports: [imports.at(-1)!] })
    class ShippingModule {}
    return Test.createTestingModule({ imports: [BillingModule, ShippingModule], providers: [Handlers] })
      .setLogger(false as never)
      .compile();
  };

  it.each([
    ['forRoot()', () => [KopfModule.forRoot(options()), KopfModule.forRoot(options())]],
    [
      'forRoot() and forRootAsync()',
      () => [KopfModule.forRoot(options()), KopfModule.forRootAsync({ useFactory: () => options() })],
    ],
  ])('should be an error that names them if %s was called twice, before any operator starts', async (_, make) => {
    const module = await compile(...make());
    await expect(module.init()).rejects.toMatchObject({
      code: 'KOPF_BOOTSTRAP',
      message: expect.stringMatching(
        /^KopfModule\.forRoot\(\) or forRootAsync\(\) was called 2 times in one application: for the imports by BillingModule; by ShippingModule\./,
      ),
    });
    expect(transport.log).toEqual([]);
    await module.close();
  });

  it('should have one operator if it is one and the same', async () => {
    const module = await compile(KopfModule.forRoot(options()));
    await module.init();
    expect(module.get(KopfOperator, { strict: false, each: true }).length).toBe(1);
    await module.close();
  });

  it('should not meet the modules of another application of the process', async () => {
    const modules = await Promise.all([1, 2].map(() => compile(KopfModule.forRoot(options()))));
    for (const module of modules) await module.init();
    for (const module of modules) await module.close();
  });
});
