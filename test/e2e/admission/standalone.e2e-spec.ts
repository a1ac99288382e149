import { Module, type LoggerService, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  AdmissionError,
  KopfAdmission,
  KopfAdmissionModule,
  KopfModule,
  KopfOperator,
  OnCreate,
  Validate,
  type KopfModuleOptions,
} from 'nestjs-kopf';
import { KopfConsoleModule } from 'nestjs-kopf-console';
import { KopfHealthIndicator, KopfHealthModule } from 'nestjs-kopf/health';
import { generateManifests } from 'nestjs-kopf-cli';
import { KopfMetricsModule } from 'nestjs-kopf/metrics';
import { EmbeddedKube } from 'embedded-kube';
import { KEX } from '../../support/operators/operator.harness.js';
import { MemoryLogger, SilentLogger } from '../../support/telemetry/memory.logger.js';
import { makeExample, makeReview, StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';

class Guard {
  @Validate(...KEX)
  check() {
    throw new AdmissionError('No.', 422);
  }
}

/** Keeps the warnings of an application. */
class WarningLogger extends SilentLogger {
  readonly warnings: string[] = [];

  override warn(message?: unknown): void {
    this.warnings.push(String(message));
  }
}

class Worker {
  @OnCreate(...KEX)
  create() {}
}

/** The application, with all modules that serve something over HTTP. */
function createModule(handlers: Type, options: KopfModuleOptions): Type {
  @Module({
    imports: [
      KopfAdmissionModule.forRoot({ url: 'https://example.com' }),
      KopfHealthModule.forRoot({ controller: true, globalPrefix: false }),
      KopfMetricsModule.forRoot({ controller: true, globalPrefix: false }),
      KopfConsoleModule.forRoot({ globalPrefix: false }),
      KopfModule.forRoot(options),
    ],
    providers: [handlers],
  })
  class AppModule {}
  return AppModule;
}

type Started = { get<T>(type: Type<T>): T; close(): Promise<void> };

/** `createMicroservice()` initialises the application as `createApplicationContext()` does. */
const WAYS: [string, (module: Type, logger: LoggerService) => Promise<Started>][] = [
  [
    'createApplicationContext()',
    (module, logger) => NestFactory.createApplicationContext(module, { logger, abortOnError: false }),
  ],
  [
    'a testing module without an application',
    async (module, logger) =>
      (
        await Test.createTestingModule({ imports: [module] })
          .setLogger(logger)
          .compile()
      ).init(),
  ],
];

describe.each(WAYS)('An application without an HTTP server: %s', (_way, start) => {
  let kube: EmbeddedKube;
  let logger: WarningLogger;

  beforeEach(async () => {
    logger = new WarningLogger();
    kube = await EmbeddedKube.start({ logger: new MemoryLogger(), port: false });
    onTestFinished(() => kube.stop());
    const method = 'POST';
    const body = JSON.stringify(customResource({}));
    const headers = { 'content-type': 'application/json' };
    await kube.transport().request({ method, path: DEFINITIONS, headers, body });
  });

  const credentials = () => ({ server: 'http://embedded', transport: kube.transport() });

  async function run(handlers: Type, options: KopfModuleOptions): Promise<Started> {
    const app = await start(createModule(handlers, options), logger);
    onTestFinished(() => app.close());
    return app;
  }

  it('should start if its operator does not', async () => {
    const app = await run(Guard, { enabled: false });
    expect(app.get(KopfOperator).state).toBe('idle');
  });

  it('should run its operator if that needs no reviews', async () => {
    const app = await run(Worker, { credentials: credentials() });
    await app.get(KopfOperator).ready();
    expect((await app.get(KopfHealthIndicator).isReady()).kopf.status).toBe('up');
  });

  it('should serve reviews by the server of the settings', async () => {
    const server = new StubAdmissionServer({ url: 'https://host' });
    const app = await run(Guard, { credentials: credentials(), admission: { server } });
    await app.get(KopfOperator).ready();
    const { response } = await server.review(makeReview(makeExample({})));
    expect(response.status).toEqual({ code: 422, message: 'No.' });
    expect(app.get(KopfAdmission).isServing).toBe(true);
  });

  it('should warn of handlers that nobody can reach', async () => {
    const app = await run(Guard, { credentials: credentials() });
    await app.get(KopfOperator).ready();
    expect(logger.warnings).toContainEqual(
      expect.stringMatching(/^No server receives reviews for Guard\.check, as this application has no HTTP server/),
    );
    const answer = await app.get(KopfAdmission).review(makeReview(makeExample({})), { headers: {} });
    expect(answer.response.status).toEqual({ code: 422, message: 'No.' });
  });
});

it('should generate manifests of an application whose webhooks its controller serves', async () => {
  const module = createModule(Guard, { enabled: false, admission: { managed: 'a.example.com' } });
  const { files } = await generateManifests(module, { name: 'x' } as never);
  expect(Object.keys(files)).toContain('rbac.yaml');
});
