import { CoreV1Api } from '@kubernetes/client-node';
import { Injectable, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  getIndexToken,
  getKubeApiToken,
  Index,
  InjectIndex,
  InjectKubeApi,
  KopfAdmission,
  KopfIndices,
  KopfModule,
  KopfOperator,
  KopfPeering,
  KopfRegistry,
  KopfSettings,
  KopfVault,
  KopfWatcher,
  KubeClient,
  OnCreate,
  type IndexContext,
  type KopfFeatureOptions,
  type ReadonlyIndex,
} from 'nestjs-kopf';
import { ScriptedTransport } from '../../support/transport/scripted.api.js';

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

describe('Two applications in one process', () => {
  @Injectable()
  class Names {
    constructor(@InjectIndex('names') readonly index: ReadonlyIndex<string, string>) {}
  }

  @Injectable()
  class Nodes {
    constructor(@InjectKubeApi(CoreV1Api) readonly core: CoreV1Api) {}
  }

  class Indexing {
    @Index('kopf.dev/v1', 'kopfexamples')
    names({ name }: IndexContext) {
      return { [name]: name };
    }
  }

  const SERVICES = [KopfOperator, KopfRegistry, KopfWatcher, KopfVault, KopfPeering, KopfIndices, KopfAdmission];
  const run = async (feature: KopfFeatureOptions, ...providers: Provider[]): Promise<TestingModule> => {
    const transport = new ScriptedTransport(() => ({ json: { items: [] } }));
    const options = { enabled: false, credentials: { server: 'http://embedded', transport } };
    const module = await Test.createTestingModule({
      imports: [KopfModule.forFeature(feature), KopfModule.forRoot(options)],
      providers: [Indexing, ...providers],
    })
      .setLogger(false as never)
      .compile();
    onTestFinished(() => module.close());
    await module.init();
    return module;
  };

  it('should share no service, no index, and no client', async () => {
    const feature = { indices: ['names'], apis: [CoreV1Api] };
    const [one, other] = [await run(feature, Names, Nodes), await run(feature, Names, Nodes)];
    for (const service of [...SERVICES, KubeClient, KopfSettings])
      expect(one.get(service)).not.toBe(other.get(service));
    expect(one.get(Names).index).toBe(one.get(KopfIndices).get('names'));
    expect(one.get(Names).index).not.toBe(other.get(Names).index);
    expect(one.get(Nodes).core).not.toBe(other.get(Nodes).core);
  });

  it('should have only the indices and the clients that their own modules name', async () => {
    const one = await run({ indices: ['names'], apis: [CoreV1Api] }, Names, Nodes);
    const other = await run({});
    const tokens = [getIndexToken('names'), getKubeApiToken(CoreV1Api)];
    for (const token of tokens) {
      expect(one.get(token, { strict: false })).toBeDefined();
      expect(() => other.get(token, { strict: false }) as unknown).toThrow(/could not find/);
    }
    await expect(run({}, Names)).rejects.toThrow(/KopfIndex:names/);
  });

  it('should find nothing that decorators of the other one have left', () => {
    for (const decorator of [InjectIndex, InjectKubeApi]) expect(Reflect.getMetadataKeys(decorator)).toEqual([]);
    const { module, ...metadata } = KopfModule.forRoot().imports![0] as DynamicModule;
    expect(module.name).toBe('KopfCoreModule');
    const properties = Object.values(Object.getOwnPropertyDescriptors(metadata));
    expect(properties.filter(({ get }) => get !== undefined)).toEqual([]);
  });
});
