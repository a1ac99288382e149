import { CoreV1Api } from '@kubernetes/client-node';
import { Injectable, Module, type LoggerService, type ModuleMetadata, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  ForOperator,
  getOperatorToken,
  Index,
  InjectIndex,
  InjectKubeApi,
  InjectOperator,
  KOPF_CLOCK,
  KopfAdmission,
  KopfAdmissionModule,
  KopfIndices,
  KopfModule,
  KopfOperator,
  KopfPeering,
  KopfRegistry,
  KopfSettings,
  KopfVault,
  KopfWatcher,
  KubeClient,
  OnCleanup,
  OnCreate,
  OnStartup,
  Timer,
  type ActivityContext,
  type ChangeContext,
  type TimerContext,
  type Clock,
  type IndexContext,
  type KopfModuleOptions,
  type ReadonlyIndex,
} from 'nestjs-kopf';
import { KopfHealthIndicator, KopfHealthModule } from 'nestjs-kopf/health';
import { SeededRandom } from 'nestjs-kopf/testing';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { ScriptedTransport } from '../../support/transport/scripted.api.js';

/** Keeps the lines of the application's log, with their contexts. */
class ContextLogger implements LoggerService {
  readonly lines: string[] = [];

  log(message: string, context: string): void {
    this.lines.push(`[${context}] ${message}`);
  }
  readonly warnings: string[] = [];

  warn(message: string): void {
    this.warnings.push(message);
  }
  error(): void {}
}

let calls: string[];

beforeEach(() => {
  calls = [];
});

@Injectable()
class Handlers {
  @OnCreate(...KEX)
  create({ name, memo }: ChangeContext) {
    calls.push(`${this.constructor.name}: ${name}, ${memo.from as string}`);
  }
  @Timer(...KEX, { initialDelay: 60, interval: 1000 })
  tick({ name }: TimerContext) {
    calls.push(`${this.constructor.name}: tick of ${name}`);
  }
  @Index(...KEX)
  names({ name }: IndexContext) {
    return { [name]: name };
  }
  @OnStartup()
  startUp({ settings }: ActivityContext) {
    calls.push(`${this.constructor.name}: startup`);
    settings.queueing.workerLimit = this.constructor.name.length;
  }
  @OnCleanup()
  cleanUp() {
    calls.push(`${this.constructor.name}: cleanup`);
  }
}

@Injectable()
@ForOperator('edge')
class EdgeHandlers extends Handlers {}

@Injectable()
class Inspector {
  constructor(
    readonly operator: KopfOperator,
    readonly indices: KopfIndices,
    readonly client: KubeClient,
    @InjectOperator('edge') readonly edge: KopfOperator,
    @InjectOperator('edge', KopfIndices) readonly edgeIndices: KopfIndices,
    @InjectOperator('edge', KubeClient) readonly edgeClient: KubeClient,
    @InjectOperator('edge', KOPF_CLOCK) readonly edgeClock: Clock,
    @InjectIndex('names') readonly names: ReadonlyIndex<string, string>,
    @InjectIndex('names', 'edge') readonly edgeNames: ReadonlyIndex<string, string>,
    @InjectKubeApi(CoreV1Api) readonly core: CoreV1Api,
    @InjectKubeApi(CoreV1Api, 'edge') readonly edgeCore: CoreV1Api,
  ) {}
}

const FEATURE = { indices: ['names'], apis: [CoreV1Api] };

@Module({
  imports: [KopfModule.forFeature(FEATURE), KopfModule.forFeature({ ...FEATURE, operator: 'edge' })],
  providers: [Inspector],
})
class InspectionModule {}

describe('Two operators in one application', () => {
  let here: OperatorHarness;
  let there: OperatorHarness;
  let log: ContextLogger;

  beforeEach(async () => {
    here = await OperatorHarness.start();
    there = await OperatorHarness.start();
    log = new ContextLogger();
  });

  const optionsOf = ({ kube, clock }: OperatorHarness): KopfModuleOptions => ({
    clock,
    random: new SeededRandom(5),
    credentials: { server: 'http://embedded', transport: kube.transport() },
  });

  const outlast = async <T>(promise: Promise<T>): Promise<T> => {
    await Promise.all([here, there].map(({ clock }) => clock.runUntil(promise)));
    return promise;
  };

  async function run({ imports = [], providers = [] }: ModuleMetadata = {}): Promise<TestingModule> {
    const module = await Test.createTestingModule({
      imports: [
        ...imports,
        InspectionModule,
        KopfModule.forRoot({ ...optionsOf(here), memo: { from: 'here' } }),
        KopfModule.forRootAsync({
          name: 'edge',
          useFactory: () => ({ ...optionsOf(there), memo: { from: 'there' }, queueing: { workerLimit: 3 } }),
        }),
      ],
      providers: [Handlers, EdgeHandlers, ...providers],
    })
      .setLogger(log)
      .compile();
    onTestFinished(() => outlast(module.close()));
    await outlast(module.init());
    await outlast(module.get(KopfOperator).ready());
    await outlast(module.get(getOperatorToken('edge')).ready());
    await here.clock.settle();
    return module;
  }

  it('should each call their own handlers, for the objects of their own clusters', async () => {
    await run();
    calls.length = 0;
    await here.create('a');
    await there.create('b');
    await here.advance(1);
    await there.advance(1);
    expect(calls.sort()).toEqual(['EdgeHandlers: b, there', 'Handlers: a, here']);
  });

  class Base {
    @OnCreate(...KEX, { id: 'based' })
    make({ name }: ChangeContext) {
      calls.push(`${this.constructor.name}: ${name}`);
    }
  }

  it('should not warn of a subclass for the other one, whether it inherits a handler, overrides it, or says so on the decorator', async () => {
    @ForOperator('edge')
    class Inheriting extends Base {}
    @ForOperator('edge')
    class Overriding extends Base {
      @OnCreate(...KEX, { id: 'overriding' })
      override make({ name }: ChangeContext) {
        calls.push(`Overriding: ${name}`);
      }
    }
    class Assigned extends Base {
      @OnCreate(...KEX, { id: 'assigned', operator: 'edge' })
      override make({ name }: ChangeContext) {
        calls.push(`Assigned: ${name}`);
      }
    }
    await run({ providers: [Base, Inheriting, Overriding, Assigned] });
    calls.length = 0;
    await here.create('a');
    await there.create('b');
    await here.advance(5);
    await there.advance(5);
    expect(calls.filter((call) => !call.includes('Handlers')).sort()).toEqual([
      'Assigned: b',
      'Base: a',
      'Inheriting: b',
      'Overriding: b',
    ]);
    expect(log.warnings).toEqual([]);
  });

  it('should warn of a subclass whose method has no decorator, and is a handler of neither', async () => {
    @ForOperator('edge')
    class Lost extends Base {
      override make() {}
    }
    await run({ providers: [Base, Lost] });
    expect(log.warnings).toEqual([
      expect.stringMatching(/^Lost\.make overrides Base\.make, which has @OnCreate, .* so it is never called/),
    ]);
  });

  it('should call those handlers of a class that the options of their decorators assign to them', async () => {
    @Injectable()
    @ForOperator('edge')
    class Mixed {
      @OnCreate(...KEX, { id: 'first' })
      onEdge({ name }: ChangeContext) {
        calls.push(`edge: ${name}`);
      }
      @OnCreate(...KEX, { id: 'other', operator: 'default' })
      onDefault({ name }: ChangeContext) {
        calls.push(`default: ${name}`);
      }
      @OnCreate(...KEX, { id: 'both', operator: 'default' })
      @OnCreate(...KEX, { id: 'both' })
      onBoth({ name }: ChangeContext) {
        calls.push(`both: ${name}`);
      }
    }
    await run({ providers: [Mixed] });
    calls.length = 0;
    await here.create('a');
    await there.create('b');
    await here.advance(5);
    await there.advance(5);
    expect(calls.filter((call) => !call.includes('Handlers')).sort()).toEqual([
      'both: a',
      'both: b',
      'default: a',
      'edge: b',
    ]);
  });

  it('should be injected, each with its services, indices, and clients, anywhere in the application', async () => {
    const inspector = (await run()).get(Inspector, { strict: false });
    await there.create('b');
    await there.advance(1);
    expect([inspector.operator.name, inspector.edge.name]).toEqual(['default', 'edge']);
    expect([inspector.operator.objects, inspector.edge.objects]).toEqual([0, 1]);
    expect(inspector.edgeClock).toBe(there.clock);
    expect([inspector.names.get('b'), inspector.edgeNames.get('b')?.toArray()]).toEqual([undefined, ['b']]);
    expect(inspector.names).toBe(inspector.indices.get('names'));
    expect(inspector.edgeNames).toBe(inspector.edgeIndices.get('names'));
    await there.send('POST', '/api/v1/namespaces', { metadata: { name: 'only-there' } });
    const request = { name: 'only-there' };
    expect((await inspector.edgeClient.get('namespaces', 'only-there')).metadata.name).toBe('only-there');
    await expect(inspector.client.get('namespaces', 'only-there')).rejects.toThrow(/not found/);
    expect((await inspector.edgeCore.readNamespace(request)).metadata?.name).toBe('only-there');
    await expect(inspector.core.readNamespace(request)).rejects.toThrow(/not found/i);
  });

  it('should share none of their services', async () => {
    const module = await run();
    const services: readonly (abstract new (...args: any[]) => object)[] = [
      KopfOperator,
      KubeClient,
      KopfRegistry,
      KopfWatcher,
      KopfVault,
      KopfPeering,
      KopfAdmission,
      KopfSettings,
      KopfIndices,
    ];
    for (const service of services) {
      const [own, other] = [module.get(service), module.get(getOperatorToken('edge', service))];
      expect(own, service.name).toBeInstanceOf(service);
      expect(other, service.name).toBeInstanceOf(service);
      expect(other, service.name).not.toBe(own);
      expect(module.get(getOperatorToken('default', service))).toBe(own);
    }
  });

  it('should have their own settings, also if startup handlers change them', async () => {
    const module = await run();
    expect(module.get(KopfSettings).queueing.workerLimit).toBe('Handlers'.length);
    expect(module.get(getOperatorToken('edge', KopfSettings)).queueing.workerLimit).toBe('EdgeHandlers'.length);
  });

  it('should have names of their own for other operators, also in one pod', async () => {
    vi.stubEnv('POD_ID', 'pod-1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const module = await run();
    expect(module.get(KopfPeering).identity).toBe('pod-1');
    expect(module.get(getOperatorToken('edge', KopfPeering)).identity).toBe('pod-1/edge');
  });

  it('should go by their own clocks', async () => {
    await run();
    await here.create('a');
    await there.create('b');
    await here.advance(1);
    await there.advance(1);
    calls.length = 0;
    await there.advance(100);
    expect(calls).toEqual(['EdgeHandlers: tick of b']);
    await here.advance(100);
    expect(calls).toEqual(['EdgeHandlers: tick of b', 'Handlers: tick of a']);
  });

  it('should be stopped by hand one by one', async () => {
    const module = await run();
    calls.length = 0;
    await outlast(module.get(getOperatorToken('edge')).stop());
    expect(calls).toEqual(['EdgeHandlers: cleanup']);
    expect([module.get(KopfOperator).state, module.get(getOperatorToken('edge')).state]).toEqual([
      'running',
      'stopped',
    ]);
    await here.create('a');
    await here.advance(1);
    expect(calls).toEqual(['EdgeHandlers: cleanup', 'Handlers: a, here']);
  });

  it('should start in the order of their imports, and stop in the reverse order: first all handling, then all cleanup', async () => {
    const module = await run();
    expect(calls).toEqual(['Handlers: startup', 'EdgeHandlers: startup']);
    calls.length = 0;
    for (const [name, operator] of [
      ['default', module.get(KopfOperator)],
      ['edge', module.get(getOperatorToken('edge'))],
    ] as const)
      operator.state$.subscribe((state) => calls.push(`${name}: ${state}`));
    calls.length = 0;
    await outlast(module.close());
    expect(calls).toEqual([
      'edge: stopping',
      'default: stopping',
      'EdgeHandlers: cleanup',
      'edge: stopped',
      'Handlers: cleanup',
      'default: stopped',
    ]);
  });

  it('should have the name of the operator in all lines of the log', async () => {
    await run();
    const ready = log.lines.filter((line) => line.includes('The operator is ready'));
    expect(ready).toEqual([expect.stringMatching(/^\[Kopf\] /), expect.stringMatching(/^\[Kopf:edge\] /)]);
    log.lines.length = 0;
    await there.create('b');
    await there.advance(1);
    expect(log.lines.length).toBeGreaterThan(0);
    expect(log.lines.filter((line) => !line.startsWith('[Kopf:edge] [ns/b]'))).toEqual([]);
  });
});

describe('An operator with a name', () => {
  it('should not need one without a name, also not for its health and its reviews', async () => {
    const transport = new ScriptedTransport(() => ({ json: { items: [] } }));
    const module = await Test.createTestingModule({
      imports: [
        KopfHealthModule.forRoot({ operator: 'edge', controller: true }),
        KopfAdmissionModule.forRoot({ operator: 'edge' }),
        KopfModule.forRoot({ name: 'edge', enabled: false, credentials: { server: 'http://embedded', transport } }),
      ],
      providers: [EdgeHandlers],
    })
      .setLogger(false as never)
      .compile();
    onTestFinished(() => module.close());
    await module.init();
    const handlers = module.get(getOperatorToken('edge', KopfRegistry)).describe();
    expect(handlers.map(({ id }) => id)).toEqual(expect.arrayContaining(['create', 'tick', 'names']));
    const service = (type: Type): unknown => module.get(type, { strict: false });
    for (const type of [KopfOperator, KopfRegistry, KubeClient, KopfHealthIndicator]) {
      expect(() => service(type as Type), type.name).toThrow(/could not find/);
    }
    const health = await module.get(getOperatorToken('edge', KopfHealthIndicator)).isLive();
    expect(health).toMatchObject({ 'kopf-edge': { status: 'up', operator: { state: 'idle' } } });
  });
});

describe('Errors with several operators', () => {
  let transport: ScriptedTransport;

  beforeEach(() => {
    transport = new ScriptedTransport(() => ({ json: { items: [] } }));
  });

  const options = (name?: string): KopfModuleOptions => ({
    name,
    credentials: { server: 'http://embedded', transport },
  });

  async function start(metadata: ModuleMetadata): Promise<Error> {
    const module = Test.createTestingModule(metadata)
      .setLogger(false as never)
      .compile();
    const error = await module
      .then((compiled) => compiled.init())
      .then(
        () => undefined,
        (thrown: Error) => thrown,
      );
    await module.then(
      (compiled) => compiled.close(),
      () => undefined,
    );
    return error!;
  }

  it('should name each handler that no operator would call, with its class, method, and option, before any starts', async () => {
    class Misspelt {
      @OnCreate(...KEX, { operator: 'egde' })
      create() {}
    }
    @ForOperator('west')
    class Missing {
      @OnCreate(...KEX)
      create() {}
    }
    const started: string[] = [];
    class Fine {
      @OnStartup()
      start() {
        started.push('started');
      }
    }
    const error = await start({
      imports: [KopfModule.forRoot(options()), KopfModule.forRoot(options('edge'))],
      providers: [Fine, Misspelt, Missing],
    });
    expect(error).toMatchObject({
      code: 'KOPF_BOOTSTRAP',
      errors: [
        "Misspelt.create (@OnCreate): option 'operator' names 'egde', but there is no such operator; name one of 'default', 'edge', or import KopfModule.forRoot({ name: 'egde' })",
        "Missing.create (@OnCreate): @ForOperator() on Missing names 'west', but there is no such operator; name one of 'default', 'edge', or import KopfModule.forRoot({ name: 'west' })",
      ],
    });
    expect([started, transport.log]).toEqual([[], []]);
  });

  it('should name handlers without an operator if all operators have names', async () => {
    const error = await start({ imports: [KopfModule.forRoot(options('edge'))], providers: [Handlers] });
    expect(error.message).toContain(
      "Handlers.create (@OnCreate): neither the option 'operator' nor @ForOperator() on Handlers names an operator, and there is none without a name; name one of 'edge', or import KopfModule.forRoot() without a name",
    );
  });

  it('should name the modules that import operators of one name', async () => {
    @Module({ imports: [KopfModule.forRoot(options('edge'))] })
    class BillingModule {}
    @Module({ imports: [KopfModule.forRoot(options('edge'))] })
    class ShippingModule {}
    const error = await start({ imports: [BillingModule, ShippingModule, KopfModule.forRoot(options())] });
    expect(error).toMatchObject({
      code: 'KOPF_BOOTSTRAP',
      message: expect.stringMatching(
        /called 2 times with the name 'edge' in one application: for the imports by BillingModule; by ShippingModule\..*another name/,
      ),
    });
    expect(transport.log).toEqual([]);
  });

  it('should name the operator whose options are wrong', async () => {
    const imports = [KopfModule.forRoot(options()), KopfModule.forRoot({ ...options('edge'), namespaces: [] })];
    expect((await start({ imports })).message).toMatch(
      /^The options of KopfModule with the name 'edge' are wrong: namespaces /,
    );
  });

  it('should name operators without a name if there are two', async () => {
    const imports = [KopfModule.forRoot(options()), KopfModule.forRoot(options('default'))];
    expect((await start({ imports })).message).toMatch(/called 2 times in one application.*needs a name/);
  });

  it('should refuse a name that the factory makes, as the tokens are made before', async () => {
    const imports = [KopfModule.forRootAsync({ useFactory: () => options('edge') })];
    expect((await start({ imports })).message).toContain('name must be given beside the factory');
  });

  it.each(['', 'a b', '/', '-a', 5 as never])(
    'should refuse a name that cannot be a part of a path: %j',
    async (name) => {
      expect((await start({ imports: [KopfModule.forRoot(options(name))] })).message).toContain(
        'name must be a text that begins and ends with a letter or a digit',
      );
    },
  );

  it.each([
    ['forFeature()', { imports: [KopfModule.forFeature({ indices: ['names'], operator: 'egde' })] }],
    ['@InjectOperator()', { providers: [{ provide: 'USER', useFactory: String, inject: [getOperatorToken('egde')] }] }],
  ])(
    'should say which module is missing if %s names an operator that there is not',
    async (_, { imports = [], ...rest }: ModuleMetadata) => {
      const error = await start({ imports: [...imports, KopfModule.forRoot(options())], ...rest });
      expect(error.message).toMatch(/KopfModule\.forRoot\(\{ name: 'egde' \}\)/);
    },
  );
});
