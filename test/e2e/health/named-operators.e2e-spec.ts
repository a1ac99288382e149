import { Controller, Get, Injectable } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { ForOperator, getOperatorToken, InjectOperator, KopfModule, OnEvent, OnProbe } from 'nestjs-kopf';
import { KopfHealthIndicator, KopfHealthModule } from 'nestjs-kopf/health';
import { SeededRandom } from 'nestjs-kopf/testing';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { PLATFORMS, ServedOperator, type Platform } from '../../support/operators/served.operator.js';

@Injectable()
class Handlers {
  @OnEvent(...KEX)
  note() {}
  @OnProbe()
  main() {
    return 'here';
  }
}

@Injectable()
@ForOperator('edge')
class EdgeHandlers {
  @OnEvent(...KEX)
  note() {}
  @OnProbe()
  edge() {
    return 'there';
  }
}

@Controller()
class Both {
  constructor(
    private readonly health: HealthCheckService,
    private readonly main: KopfHealthIndicator,
    @InjectOperator('edge', KopfHealthIndicator) private readonly edge: KopfHealthIndicator,
  ) {}

  @Get('both')
  @HealthCheck()
  check() {
    return this.health.check([() => this.main.isReady(), () => this.edge.isReady()]);
  }
}

describe.each(Object.keys(PLATFORMS) as Platform[])('The health of several operators with %s', (platform) => {
  let here: OperatorHarness;
  let there: OperatorHarness;
  let served: ServedOperator;

  beforeEach(async () => {
    [here, there] = [await OperatorHarness.start(), await OperatorHarness.start()];
    served = await ServedOperator.start(here, {
      platform,
      handlers: [Handlers, EdgeHandlers],
      controllers: [Both],
      imports: [
        TerminusModule,
        KopfHealthModule.forRoot({ controller: true }),
        KopfHealthModule.forRootAsync({ operator: 'edge', controller: true, useFactory: () => ({ probeCacheTtl: 0 }) }),
        KopfModule.forRoot({
          name: 'edge',
          enabled: false,
          clock: there.clock,
          random: new SeededRandom(6),
          credentials: { server: 'http://embedded', transport: there.kube.transport() },
        }),
      ],
    });
    await served.ready();
  });

  const startEdge = async (): Promise<void> => {
    const edge = served.find(getOperatorToken('edge'));
    await there.clock.runUntil(edge.start());
    await there.clock.runUntil(edge.ready());
  };

  it('should be served for each of them, under its name', async () => {
    await startEdge();
    const [main, edge] = [await served.get('/healthz'), await served.get('/healthz/edge')];
    expect(main.body.details).toMatchObject({
      kopf: { status: 'up', probes: { handlers: { main: { result: 'here' } } } },
    });
    expect(edge.body.details).toMatchObject({
      'kopf-edge': { status: 'up', probes: { handlers: { edge: { result: 'there' } } } },
    });
    expect(Object.keys(main.body.details.kopf.probes.handlers)).toEqual(['main']);
    expect(Object.keys(edge.body.details['kopf-edge'].probes.handlers)).toEqual(['edge']);
  });

  it('should not depend on the other one', async () => {
    expect([(await served.get('/readyz')).status, (await served.get('/readyz/edge')).status]).toEqual([200, 503]);
    await startEdge();
    expect([(await served.get('/readyz')).status, (await served.get('/readyz/edge')).status]).toEqual([200, 200]);
    await here.clock.runUntil(served.operator.stop());
    expect([(await served.get('/readyz')).status, (await served.get('/readyz/edge')).status]).toEqual([503, 200]);
  });

  it('should be combined by the indicators, which are injected by name', async () => {
    expect(await served.get('/both')).toMatchObject({
      status: 503,
      body: { info: { kopf: { status: 'up' } }, error: { 'kopf-edge': { operator: { state: 'idle' } } } },
    });
    await startEdge();
    expect((await served.get('/both')).status).toBe(200);
  });
});

describe('One probe of several operators', () => {
  it('should report on each of them, and be as good as the worst', async () => {
    const [here, there] = [await OperatorHarness.start(), await OperatorHarness.start()];
    const served = await ServedOperator.start(here, {
      platform: 'Express',
      handlers: [Handlers, EdgeHandlers],
      imports: [
        KopfHealthModule.forRoot({ controller: true, operators: ['default', 'edge'], probeCacheTtl: 0 }),
        KopfModule.forRoot({
          name: 'edge',
          enabled: false,
          clock: there.clock,
          random: new SeededRandom(6),
          credentials: { server: 'http://embedded', transport: there.kube.transport() },
        }),
      ],
    });
    await served.ready();
    expect(await served.get('/readyz')).toMatchObject({
      status: 503,
      body: { info: { kopf: { status: 'up' } }, error: { 'kopf-edge': { operator: { state: 'idle' } } } },
    });
    const edge = served.find(getOperatorToken('edge'));
    await there.clock.runUntil(edge.start());
    await there.clock.runUntil(edge.ready());
    expect((await served.get('/readyz')).status).toBe(200);
    const { status, body } = await served.get('/healthz');
    expect(status).toBe(200);
    expect(body.details.kopf.probes.handlers).toEqual({ main: { status: 'up', result: 'here' } });
    expect(body.details['kopf-edge'].probes.handlers).toEqual({ edge: { status: 'up', result: 'there' } });
    await here.clock.runUntil(served.operator.stop());
    expect((await served.get('/readyz')).status).toBe(503);
  });

  it.each([
    [{ operators: [] }, 'operators must be a list of names'],
    [{ operators: ['edge', ''] }, 'operators must be a list of names'],
    [{ operators: ['edge'], operator: 'edge' }, "operators excludes the option 'operator'"],
    [{ operators: ['edge', 'core'], key: 'all' }, "operators excludes the option 'key'"],
  ])('should refuse %j', (options, violation) => {
    expect(() => KopfHealthModule.forRoot(options)).toThrow(violation);
  });
});

describe('The health of an operator that nobody has imported', () => {
  it('should be an error that names it', async () => {
    const harness = await OperatorHarness.start();
    const started = harness.run(Handlers, { imports: [KopfHealthModule.forRoot({ operator: 'egde' })] });
    await expect(started).rejects.toThrow("KopfModule.forRoot({ name: 'egde' })");
  });

  it('should have its name beside the factory', async () => {
    const harness = await OperatorHarness.start();
    const imports = [KopfHealthModule.forRootAsync({ useFactory: () => ({ operator: 'edge' }) as object })];
    await expect(harness.run(Handlers, { imports })).rejects.toThrow(/operator must be given beside the factory/);
  });
});
