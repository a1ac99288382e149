import { inspect } from 'node:util';
import { ConsoleLogger, Injectable, Logger, type LoggerService, type OnModuleInit } from '@nestjs/common';
import {
  AdmissionError,
  Daemon,
  Index,
  KopfAdmission,
  KopfIndices,
  KopfOperator,
  KopfPeering,
  KopfRegistry,
  KopfSettings,
  KopfVault,
  KopfWatcher,
  KubeClient,
  Mutate,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnProbe,
  OnResume,
  OnUpdate,
  PermanentError,
  TemporaryError,
  Timer,
  Validate,
  type AdmissionContext,
  type ChangeContext,
  type DaemonContext,
  type KubeObject,
  type KubeRequest,
} from 'nestjs-kopf';
import { KopfHealthIndicator, KopfHealthModule } from 'nestjs-kopf/health';
import { KopfMetrics, KopfMetricsModule } from 'nestjs-kopf/metrics';
import { respondWith } from 'nestjs-kopf/testing';
import { KopfTracingModule } from 'nestjs-kopf/tracing';
import { NestLogger } from '../../../libs/kopf/src/common/nest.logger.js';
import { KOPF_LOGGER } from '../../../libs/kopf/src/kopf.tokens.js';
import { errorResponse, OperatorHarness } from '../../support/operators/operator.harness.js';
import { makeReview, StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { SpanRecorder } from '../../support/telemetry/span.recorder.js';

const CANARY = 'c4n4ry';
/** The value as it is in a Secret. */
const ENCODED = Buffer.from(CANARY).toString('base64');

const KINDS = [
  { plural: 'secrets', kind: 'Secret', value: ENCODED },
  { plural: 'configmaps', kind: 'ConfigMap', value: CANARY },
] as const;

/** Reads and writes the value in all ways, and fails in all ways, but never says the value itself. */
function makeOperator(plural: string, value: string): new () => object {
  const resource = ['v1', plural] as const;

  @Injectable()
  class Operator {
    @OnResume(...resource)
    @OnCreate(...resource, { backoff: 5, retries: 3 })
    create({ retry, patch, name, logger }: ChangeContext) {
      logger.log('The object is created.');
      if (name === 'rejected') {
        patch.merge({ data: { password: `${value}-rejected` } });
        return;
      }
      if (retry === 0) throw new TemporaryError('Not yet.', { delay: 1 });
      if (retry === 1) throw new Error('Not yet, again.');
      patch.merge({ data: { copied: value, password: `${value}Cg==` } });
      patch.metadata.annotations['example.com/copy'] = value;
    }

    @OnCreate(...resource)
    transform({ patch }: ChangeContext) {
      patch.transform?.(
        (body: KubeObject) => void Object.assign(body, { data: { ...(body.data as object), added: value } }),
      );
    }

    @OnUpdate(...resource)
    update() {
      throw new PermanentError('Never.');
    }

    @OnField(...resource, { field: 'data.password' })
    field({ subhandler }: ChangeContext) {
      subhandler('part', () => undefined);
    }

    @OnDelete(...resource)
    delete({ retry }: ChangeContext) {
      if (retry === 0) throw new TemporaryError('Not yet.', { delay: 1 });
    }

    @OnEvent(...resource)
    event() {
      throw new Error('Nobody minds.');
    }

    @Index(...resource, { id: `${plural}ByName` })
    index({ name, body }: { name: string; body: KubeObject }) {
      return { [name]: body.data };
    }

    @Daemon(...resource)
    async daemon({ patch, stopped }: DaemonContext) {
      patch.merge({ data: { daemon: value } });
      await stopped.wait(5);
      throw new Error('The daemon fails.');
    }

    @Timer(...resource, { interval: 10 })
    timer({ patch }: DaemonContext) {
      patch.merge({ data: { timer: value } });
    }

    @Validate(...resource, { id: `check-${plural}` })
    check() {
      throw new AdmissionError('It is not allowed.');
    }

    @Mutate(...resource, { id: `fill-${plural}` })
    fill({ patch }: AdmissionContext) {
      patch.merge({ data: { filled: value } });
    }

    @OnProbe({ id: `probe-${plural}` })
    probe() {
      return 'fine';
    }
  }
  return Operator;
}

/** Answers as an API server does that repeats values: with an invalid object, a denial, and a failure. */
function makeServer(): (request: KubeRequest) => ReturnType<typeof respondWith> | undefined {
  const failures = [
    () => errorResponse(500, 'InternalError', `admission webhook "x.dev" denied the request: not ${CANARY} ${ENCODED}`),
    () => errorResponse(403, 'Forbidden', `admission webhook "x.dev" denied the request: not ${CANARY} ${ENCODED}`),
  ];
  return ({ method, path, body }) => {
    if (method !== 'PATCH' || !/\/(secrets|configmaps)\//.test(path)) return undefined;
    if (!path.includes('rejected')) return failures.pop()?.();
    if (!String(body).includes('-rejected')) return undefined;
    const message = `Invalid value: "${CANARY}" or "${ENCODED}"`;
    const causes = [{ field: 'data[password]', reason: 'FieldValueInvalid', message }];
    return respondWith(422, { kind: 'Status', code: 422, reason: 'Invalid', message, details: { causes } });
  };
}

describe('The data of a Secret, and a value under a path that the settings name', () => {
  const defaults = Logger as unknown as { staticInstanceRef?: LoggerService };
  const { staticInstanceRef } = defaults;

  afterEach(() => void (defaults.staticInstanceRef = staticInstanceRef));

  it.each([
    ['text', new ConsoleLogger({ colors: false })],
    ['JSON', new ConsoleLogger({ json: true, flattenParams: true })],
  ] as const)('should be in nothing that an operator says, with a log of %s', async (format, logger) => {
    const written: string[] = [];
    for (const stream of [process.stdout, process.stderr]) {
      const output = vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0);
      onTestFinished(() => output.mockRestore());
    }

    class OwnLogger extends NestLogger {
      constructor() {
        super('Kopf');
      }
    }

    @Injectable()
    class ConnectedLog implements OnModuleInit {
      onModuleInit(): void {
        Logger.overrideLogger(logger);
      }
    }

    const recorder = SpanRecorder.start();
    const harness = await OperatorHarness.start();
    for (const { plural, kind, value } of KINDS) {
      for (const name of ['old', 'rejected']) {
        const body = { apiVersion: 'v1', kind, metadata: { name }, data: { password: value } };
        await harness.send('POST', `/api/v1/namespaces/ns/${plural}`, body);
      }
    }
    await harness.run(
      KINDS.map(({ plural, value }) => makeOperator(plural, value)),
      {
        providers: [ConnectedLog],
        imports: [
          KopfMetricsModule.forRoot({ controller: false }),
          KopfHealthModule.forRoot({ controller: false }),
          KopfTracingModule.forRoot({ tracerProvider: recorder.provider, storeTraceparent: true }),
        ],
        overrides: new Map([[KOPF_LOGGER, OwnLogger]]),
        intercept: makeServer(),
        admission: { server: new StubAdmissionServer({}), exposeErrors: true },
        redaction: { fields: [{ resource: 'configmaps', fields: ['data'] }] },
        posting: { loggers: true, level: 'debug' },
        execution: { lateChanges: 'repeat' },
      },
    );
    for (const { plural, kind, value } of KINDS) {
      const path = `/api/v1/namespaces/ns/${plural}`;
      const body = { apiVersion: 'v1', kind, metadata: { name: 'new' }, data: { password: value } };
      await harness.send('POST', path, body);
      await harness.advance(20);
      await harness.send('PATCH', `${path}/new`, { data: { password: `${value}Cg==`, other: value } });
      await harness.advance(20);
      const resource = { group: '', version: 'v1', resource: plural };
      const review = makeReview(body, { resource, kind: { group: '', version: 'v1', kind }, name: 'new' });
      for (const webhook of [undefined, `check-${plural}`]) {
        const { response } = await harness.get(KopfAdmission).review(review, { headers: {}, webhook });
        expect(JSON.stringify(response.status)).not.toMatch(new RegExp(`${CANARY}|${ENCODED}`));
      }
      await harness.send('DELETE', `${path}/new`);
      await harness.advance(20);
    }

    const events = await harness.events();
    const services = [KopfOperator, KopfRegistry, KopfWatcher, KopfVault, KopfPeering, KopfIndices, KopfAdmission];
    const said: Record<string, string> = {
      log: written.join(''),
      metrics: await harness.get(KopfMetrics).scrape(),
      events: JSON.stringify(events),
      spans: recorder.dump(),
      live: JSON.stringify(await harness.get(KopfHealthIndicator).isLive()),
      ready: JSON.stringify(await harness.get(KopfHealthIndicator).isReady()),
      handlers: JSON.stringify(harness.get(KopfRegistry).describe()),
    };
    for (const service of [...services, KopfSettings, KubeClient]) {
      said[service.name] = inspect(harness.get<object>(service), { depth: 20 });
    }
    for (const [where, text] of Object.entries(said)) {
      expect(text.includes(CANARY), `${where} has the value`).toBe(false);
      expect(text.includes(ENCODED), `${where} has the encoded value`).toBe(false);
    }

    // All of it was said, but for the values.
    const lines = said.log.split('\n').filter((line) => line !== '');
    if (format === 'JSON') for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
    for (const part of ['Creation body: ', 'Updating diff: ', 'The patch is: ', '***'])
      expect(said.log).toContain(part);
    for (const part of ['422 Invalid: data[password]', 'denied the request', 'Nobody minds.', 'The daemon fails.']) {
      expect(said.log).toContain(part);
    }
    expect(events.length).toBeGreaterThan(20);
    expect(said.metrics).toContain('kopf_handler_attempts_total');
    for (const part of ['handler create', 'handler daemon', 'admission review', 'PATCH /api/v1/namespaces']) {
      expect(said.spans).toContain(part);
    }
  });
});
