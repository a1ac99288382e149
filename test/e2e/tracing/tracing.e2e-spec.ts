import { readFileSync } from 'node:fs';
import { Injectable, Module } from '@nestjs/common';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  AdmissionError,
  Daemon,
  KopfAdmission,
  KopfModule,
  OnCreate,
  OnEvent,
  OnStartup,
  OnUpdate,
  PermanentError,
  TemporaryError,
  Timer,
  Validate,
  type AdmissionContext,
  type ChangeContext,
  type DaemonContext,
} from 'nestjs-kopf';
import { KOPF_CHANNELS } from 'nestjs-kopf/diagnostics';
import {
  KopfTracingModule,
  type KopfTracingOptions,
  type KopfTracingOptionsFactory,
  type KopfTracingSettings,
} from 'nestjs-kopf/tracing';
import { SeededRandom } from 'nestjs-kopf/testing';
import { Test } from '@nestjs/testing';
import { sleep } from 'kube-common';
import { KEX, OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview, StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { SpanRecorder } from '../../support/telemetry/span.recorder.js';

const WRITER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const WRITTEN = `00-${WRITER.traceId}-${WRITER.spanId}-01`;

describe('Tracing', () => {
  let harness: OperatorHarness;
  let recorder: SpanRecorder;

  beforeEach(async () => {
    recorder = SpanRecorder.start();
    harness = await OperatorHarness.start();
  });

  /** Starts an operator that is traced. */
  async function run(
    handlers: OperatorOptions['providers'],
    tracing: KopfTracingOptions = {},
    options: OperatorOptions = {},
  ): Promise<void> {
    const tracer = KopfTracingModule.forRoot({ tracerProvider: recorder.provider, ...tracing });
    await harness.run(handlers!, { ...options, imports: [tracer] });
  }

  /** Fails twice, and makes a span of its own each time. */
  @Injectable()
  class Retried {
    @OnCreate(...KEX)
    async create({ retry }: ChangeContext) {
      await recorder.tracer.startActiveSpan('own', async (span) => {
        await sleep(harness.clock, 1);
        span.end();
      });
      if (retry < 2) throw new TemporaryError('later', { delay: 10 });
    }
  }

  describe('of a handler with two retries', () => {
    const create = (name: string) =>
      harness.create(name, { metadata: { annotations: { traceparent: WRITTEN } }, spec: {} });
    const outcomes = () => recorder.named('handler create').map(({ attributes }) => attributes['kopf.handler.outcome']);

    it('should be one linked chain, with a restart between', async () => {
      await run([Retried], { storeTraceparent: true });
      await create('a');
      await harness.advance(5);
      await harness.stop();
      await run([Retried], { storeTraceparent: true });
      await harness.advance(60);

      const attempts = recorder.named('handler create');
      const [first, second, third] = attempts;
      expect(outcomes()).toEqual(['retried', 'retried', 'succeeded']);
      expect(attempts.map(({ attributes }) => attributes['kopf.handler.attempt'])).toEqual([1, 2, 3]);
      // From the last attempt to the writer of the object, without a gap.
      expect(recorder.linksOf(third)).toEqual([['previous attempt', second]]);
      expect(recorder.linksOf(second)).toEqual([['previous attempt', first]]);
      expect(recorder.linksOf(first)).toEqual([]);
      const cycle = recorder.parentOf(first)!;
      expect(cycle.name).toBe('reconcile kopfexamples.kopf.dev');
      expect(cycle.parentSpanContext).toBeUndefined();
      expect(recorder.linksOf(cycle)).toEqual([['writer', WRITER.spanId]]);
      // Each attempt has its own trace: the cycle, the handler, what the handler does, and the patch.
      expect(new Set(attempts.map((span) => span.spanContext().traceId)).size).toBe(3);
      for (const attempt of attempts) {
        expect(recorder.childrenOf(attempt).map(({ name }) => name)).toEqual(['own']);
        const siblings = recorder.childrenOf(recorder.parentOf(attempt)!).map(({ name }) => name);
        expect(siblings).toEqual([
          'handler create',
          'PATCH /apis/kopf.dev/v1/namespaces/{namespace}/kopfexamples/{name}',
        ]);
      }
      const [marks] = [await harness.marks('a')];
      expect(marks).toEqual(['kopf.zalando.org/last-handled-configuration']);
    });

    it('should be linked in one process without anything being stored, and not over a restart', async () => {
      await run([Retried]);
      await create('a');
      await harness.advance(5);
      expect((await harness.object('a')).metadata.annotations?.['kopf.zalando.org/create']).not.toContain(
        'traceparent',
      );
      await harness.advance(30);
      const [first, second, third] = recorder.named('handler create');
      expect(recorder.linksOf(third)).toEqual([['previous attempt', second]]);
      expect(recorder.linksOf(second)).toEqual([['previous attempt', first]]);

      recorder.reset();
      await create('b');
      await harness.advance(5);
      await harness.stop();
      await run([Retried]);
      await harness.advance(60);
      expect(outcomes()).toEqual(['retried', 'retried', 'succeeded']);
      expect(recorder.named('handler create').map((span) => recorder.linksOf(span).length)).toEqual([0, 0, 1]);
    });

    it('should need no request more', async () => {
      await run([Retried], { storeTraceparent: true });
      await create('a');
      await harness.advance(60);
      await harness.stop();
      await harness.run(Retried);
      await create('b');
      await harness.advance(60);
      expect(harness.patchesOf('a')).toHaveLength(harness.patchesOf('b').length);
    });

    it('should not be linked to the writer if the option says so, or if the annotation is no trace context', async () => {
      await run([Retried], { writerAnnotation: 'example.com/trace' });
      await create('a');
      await harness.create('b', { metadata: { annotations: { 'example.com/trace': WRITTEN } }, spec: {} });
      await harness.create('c', { metadata: { annotations: { 'example.com/trace': 'nonsense' } }, spec: {} });
      await harness.advance(60);
      const linked = recorder.named('reconcile').filter((span) => recorder.linksOf(span).length > 0);
      expect(new Set(linked.map(({ attributes }) => attributes['kopf.object.name']))).toEqual(new Set(['b']));
    });
  });

  it('should have spans of sub-handlers below their parents, and bounded names for them', async () => {
    class Operator {
      @OnCreate(...KEX)
      create({ subhandler, spec }: ChangeContext) {
        for (const item of spec.items)
          subhandler(item, ({ retry }: { retry: number }) => {
            if (retry === 0) throw new TemporaryError('later', { delay: 5 });
          });
      }

      @OnEvent(...KEX)
      event() {
        throw new Error('nobody minds');
      }
    }
    await run([Operator]);
    await harness.create('a', { spec: { items: ['one', 'two'] } });
    await harness.advance(30);
    const children = recorder.named('handler create/*');
    expect(children.map(({ attributes }) => attributes['kopf.handler.id']).sort()).toEqual([
      'create/one',
      'create/one',
      'create/two',
      'create/two',
    ]);
    expect(new Set(children.map((span) => recorder.parentOf(span)?.name))).toEqual(new Set(['handler create']));
    const waiting = recorder.named('handler create').filter(({ name }) => name === 'handler create')[0];
    expect(waiting.attributes['kopf.handler.outcome']).toBe('waiting');
    expect(waiting.status.code).toBe(SpanStatusCode.UNSET);
    const [event] = recorder.named('handler event');
    expect(event.attributes).toMatchObject({ 'kopf.handler.outcome': 'ignored', 'error.type': 'Error' });
    expect(event.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('should show errors as failed spans, with their messages or without', async () => {
    class Operator {
      @OnCreate(...KEX)
      create() {
        throw new PermanentError('size must be set');
      }
    }
    await run([Operator]);
    await harness.create('a');
    await harness.advance(5);
    const shown = recorder.one('handler create');
    expect(shown.status).toEqual({ code: SpanStatusCode.ERROR, message: 'size must be set' });
    expect(shown.attributes).toMatchObject({ 'error.type': 'KOPF_PERMANENT', 'kopf.handler.outcome': 'failed' });
    expect(shown.events[0].attributes).toMatchObject({ 'exception.message': 'size must be set' });

    await harness.stop();
    recorder.reset();
    await run([Operator], { errorMessages: false });
    await harness.create('b');
    await harness.advance(5);
    expect(recorder.one('handler create').status).toEqual({ code: SpanStatusCode.ERROR });
    expect(recorder.dump()).not.toContain('size must be set');
  });

  it('should have a span for each call of a timer, and for the start and the end of a daemon', async () => {
    const active: unknown[] = [];
    class Operator {
      @Timer(...KEX, { interval: 60 })
      timer({ retry }: DaemonContext) {
        if (retry === 0) throw new TemporaryError('later', { delay: 5 });
      }

      @Daemon(...KEX)
      async daemon({ stopped }: DaemonContext) {
        active.push(trace.getSpan(context.active()));
        await stopped.wait(30);
        throw new PermanentError('worn out');
      }
    }
    await run([Operator]);
    await harness.create('a');
    await harness.advance(20);
    const [first, second] = recorder.named('handler timer');
    expect([first, second].map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined, undefined]);
    expect(recorder.linksOf(second)).toEqual([['previous attempt', first]]);

    const start = recorder.one('handler daemon starts');
    expect(recorder.parentOf(start)?.name).toBe('reconcile kopfexamples.kopf.dev');
    expect(recorder.named('handler daemon ends')).toEqual([]);
    await harness.advance(30);
    const end = recorder.one('handler daemon ends');
    expect(recorder.linksOf(end)).toEqual([['start', start]]);
    expect(end.attributes).toMatchObject({ 'kopf.handler.duration': 30, 'kopf.handler.outcome': 'failed' });
    // What it does belongs to traces of its own.
    expect(active).toEqual([undefined]);
    // The next call of the timer is no attempt at the same.
    await harness.advance(60);
    expect(recorder.linksOf(recorder.named('handler timer')[2])).toEqual([]);
  });

  it('should have spans of requests in other spans, and tell the API server of them', async () => {
    const headers = new Map<string, string | undefined>();
    class Operator {
      @OnCreate(...KEX)
      create() {}
    }
    await run([Operator], {}, { intercept: ({ method, headers: sent }) => void headers.set(method, sent.traceparent) });
    await harness.create('a');
    await harness.advance(5);
    const patch = recorder.one('PATCH');
    expect(patch.kind).toBe(SpanKind.CLIENT);
    expect(patch.attributes).toEqual({
      'kopf.operator': 'default',
      'http.request.method': 'PATCH',
      'http.response.status_code': 200,
      'server.address': 'embedded',
      'url.path': '/apis/kopf.dev/v1/namespaces/ns/kopfexamples/a',
      'url.template': '/apis/kopf.dev/v1/namespaces/{namespace}/kopfexamples/{name}',
    });
    const { traceId, spanId } = patch.spanContext();
    expect(headers.get('PATCH')).toBe(`00-${traceId}-${spanId}-01`);
    // Lists and watches are the operator's own, and parts of nothing.
    expect(headers.get('GET')).toBeUndefined();
    expect(recorder.named('GET')).toEqual([]);

    await harness.stop();
    recorder.reset();
    await run([Operator], { requests: false });
    await harness.create('b');
    await harness.advance(5);
    expect(recorder.named('PATCH')).toEqual([]);
  });

  it('should have spans of failed requests, without the reason that the server gives', async () => {
    class Operator {
      @OnCreate(...KEX)
      create({ patch }: ChangeContext) {
        patch.metadata.labels = { 'no valid label !': 'canary' };
      }
    }
    await run([Operator]);
    await harness.create('a');
    await harness.advance(1);
    const [failed] = recorder.named('PATCH').filter(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(failed.attributes).toMatchObject({ 'http.response.status_code': 422, 'error.type': '422' });
    expect(JSON.stringify([failed.attributes, failed.status, failed.events])).not.toContain('canary');
  });

  it('should not count what a handler has begun and not awaited as a part of it', async () => {
    let finish = (): void => undefined;
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      create() {
        void new Promise<void>((resolve) => (finish = resolve)).then(async () => {
          seen.push('late');
          await harness.get(KopfAdmission).review(makeReview(makeExample({})), { headers: {} });
        });
      }

      @Validate(...KEX)
      check() {}
    }
    await run([Operator], {}, { admission: { server: new StubAdmissionServer({}) } });
    await harness.create('a');
    await harness.advance(5);
    finish();
    await harness.advance(1);
    expect(seen).toEqual(['late']);
    expect(recorder.one('admission review').parentSpanContext).toBeUndefined();
  });

  it('should have spans of admission reviews, as parts of what the API server or the application traces', async () => {
    class Operator {
      @Validate(...KEX)
      check({ spec }: AdmissionContext) {
        if (spec.forbidden) throw new AdmissionError('Not that.', 403);
      }
    }
    await run([Operator], {}, { admission: { server: new StubAdmissionServer({}) } });
    const admission = harness.get(KopfAdmission);
    await admission.review(makeReview(makeExample({})), { headers: { traceparent: WRITTEN } });
    const review = recorder.one('admission review');
    expect(review).toMatchObject({ kind: SpanKind.SERVER, parentSpanContext: WRITER });
    expect(review.attributes).toMatchObject({ 'kopf.review.allowed': true, 'http.response.status_code': 200 });
    const handler = recorder.one('handler check');
    expect(recorder.parentOf(handler)).toBe(review);
    expect(handler.attributes).toMatchObject({ 'kopf.object.name': 'a', 'k8s.namespace.name': 'ns' });

    recorder.reset();
    await recorder.tracer.startActiveSpan('POST /admission', async (span) => {
      await admission.review(makeReview(makeExample({ forbidden: true })), { headers: {}, webhook: 'check' });
      span.end();
    });
    const rejected = recorder.one('admission review');
    expect(recorder.parentOf(rejected)?.name).toBe('POST /admission');
    expect(rejected.attributes).toMatchObject({
      'kopf.review.webhook': 'check',
      'kopf.review.allowed': false,
      'kopf.review.rejection': 403,
    });

    recorder.reset();
    await admission.review({ no: 'review' }, { headers: {} }).catch(() => undefined);
    expect(recorder.one('admission review').status.code).toBe(SpanStatusCode.ERROR);
  });

  it.each([
    { plural: 'secrets', kind: 'Secret', written: 'stringData', redaction: {} },
    {
      plural: 'configmaps',
      kind: 'ConfigMap',
      written: 'data',
      redaction: { fields: [{ resource: 'configmaps', fields: ['data'] }] },
    },
  ])('should show nothing of the data of a $kind', async ({ plural, kind, written, redaction }) => {
    const data = { password: Buffer.from('canary-data').toString('base64') };
    class Operator {
      @OnStartup()
      start() {}

      @OnCreate('v1', plural)
      create({ body, retry, patch }: ChangeContext) {
        patch.metadata.labels = { seen: 'yes' };
        const text = JSON.stringify(body);
        if (retry === 0) throw new TemporaryError(`later, because of ${text}`, { delay: 1 });
        throw new PermanentError(`not with ${text}`);
      }

      @OnUpdate('v1', plural)
      update({ old, diff }: ChangeContext) {
        throw new PermanentError(JSON.stringify([old, diff]));
      }

      @OnEvent('v1', plural)
      event({ body }: { body: object }) {
        throw new Error(JSON.stringify(body));
      }

      @Validate('v1', plural)
      check({ body }: AdmissionContext) {
        throw new AdmissionError(JSON.stringify(body));
      }

      @Timer('v1', plural, { interval: 5 })
      timer({ body }: DaemonContext) {
        throw new TemporaryError(JSON.stringify(body));
      }
    }
    const options = { redaction, admission: { server: new StubAdmissionServer({}) } };
    await run([Operator], { storeTraceparent: true }, options);
    const object = { apiVersion: 'v1', kind, metadata: { name: 'a', namespace: 'ns' }, data };
    await harness.send('POST', `/api/v1/namespaces/ns/${plural}`, object);
    await harness.advance(30);
    await harness.send('PATCH', `/api/v1/namespaces/ns/${plural}/a`, { [written]: { password: 'other-canary-data' } });
    await harness.advance(30);
    const request = {
      resource: { group: '', version: 'v1', resource: plural },
      kind: { group: '', version: 'v1', kind },
    };
    const answer = await harness.get(KopfAdmission).review(makeReview(object, request), { headers: {} });
    expect(answer.response.allowed).toBe(false);
    const names = new Set(recorder.named('handler').map(({ name }) => name));
    expect([...names].sort()).toEqual(
      ['create', 'check', 'event', 'start', 'timer', 'update'].map((id) => `handler ${id}`).sort(),
    );
    const dump = recorder.dump();
    expect(dump).toContain('KOPF_PERMANENT');
    for (const canary of ['canary', data.password, Buffer.from('other-canary-data').toString('base64')]) {
      expect(dump).not.toContain(canary);
    }
  });

  it('should trace operators with names each for itself, and none for which it was not imported', async () => {
    class Operators {
      @OnEvent(...KEX)
      own() {}

      @OnEvent(...KEX, { operator: 'edge' })
      edge() {}

      @OnEvent(...KEX, { operator: 'silent' })
      silent() {}
    }
    const { clock, kube } = harness;
    const credentials = { server: 'http://embedded', transport: kube.transport() };
    const named = (name: string) => KopfModule.forRoot({ name, clock, random: new SeededRandom(5), credentials });
    const { provider: tracerProvider } = recorder;
    await harness.run(Operators, {
      imports: [
        KopfTracingModule.forRoot({ tracerProvider }),
        KopfTracingModule.forRoot({ tracerProvider, operator: 'edge' }),
        named('edge'),
        named('silent'),
      ],
    });
    await harness.create('a');
    await harness.advance(5);
    const handled = recorder.named('handler').map(({ name, attributes }) => `${attributes['kopf.operator']}: ${name}`);
    expect(new Set(handled)).toEqual(new Set(['default: handler own', 'edge: handler edge']));
  });

  it('should take options from a factory, a class, and a provider, and check them', async () => {
    @Injectable()
    class Options implements KopfTracingOptionsFactory {
      createKopfTracingOptions(): KopfTracingSettings {
        return { tracerProvider: recorder.provider };
      }
    }
    @Module({ providers: [Options], exports: [Options] })
    class OptionsModule {}
    class Operator {
      @OnCreate(...KEX)
      create() {}
    }
    const modules = [
      KopfTracingModule.forRootAsync({ useFactory: () => ({ tracerProvider: recorder.provider }) }),
      KopfTracingModule.forRootAsync({ useClass: Options }),
      KopfTracingModule.forRootAsync({ imports: [OptionsModule], useExisting: Options }),
    ];
    for (const [index, tracing] of modules.entries()) {
      recorder.reset();
      await harness.run(Operator, { imports: [tracing] });
      await harness.create(`a-${index}`);
      await harness.advance(5);
      expect(recorder.named('handler create')).toHaveLength(1);
      await harness.stop();
    }
    const compile = (tracing: ReturnType<typeof KopfTracingModule.forRoot>) =>
      Test.createTestingModule({ imports: [tracing, KopfModule.forRoot({ enabled: false })] }).compile();
    await expect(compile(KopfTracingModule.forRoot({ requsts: true } as KopfTracingOptions))).rejects.toThrow(
      'The options of KopfTracingModule are wrong: requsts does not exist; did you mean requests?',
    );
    await expect(compile(KopfTracingModule.forRoot({ writerAnnotation: '' }))).rejects.toThrow(
      'the name of an annotation',
    );
    await expect(compile(KopfTracingModule.forRootAsync({ useFactory: () => undefined as never }))).rejects.toThrow(
      'useFactory of forRootAsync() has returned nothing',
    );
    expect(() => KopfTracingModule.forRootAsync({})).toThrow('needs one of useFactory, useClass, and useExisting');
  });

  it('should have the spans and the attributes of the guide', async () => {
    class Operator {
      @OnCreate(...KEX)
      create({ retry, patch }: ChangeContext) {
        if (retry === 1) patch.metadata.labels = { 'no valid label !': 'x' };
        if (retry === 0) throw new TemporaryError('later', { delay: 1 });
      }

      @OnEvent(...KEX)
      event() {}

      @Daemon(...KEX)
      daemon() {}

      @Validate(...KEX)
      check() {
        throw new AdmissionError('Not that.');
      }
    }
    // The host has no port in the other tests.
    const credentials = () => ({ server: 'http://embedded:6443', transport: harness.kube.transport() });
    await run([Operator], {}, { credentials: credentials(), admission: { server: new StubAdmissionServer({}) } });
    await harness.create('a', { metadata: { annotations: { traceparent: WRITTEN } }, spec: {} });
    await harness.advance(30);
    await harness.get(KopfAdmission).review(makeReview(makeExample({})), { headers: {}, webhook: 'check' });
    await harness
      .get(KopfAdmission)
      .review({ no: 'review' }, { headers: {} })
      .catch(() => undefined);
    await harness.stop();
    const server = new StubAdmissionServer({});
    const lifecycle: OperatorOptions['lifecycle'] = (due) => (due[0].id === 'create' ? (undefined as never) : due);
    await run([Operator], {}, { credentials: credentials(), lifecycle, admission: { server } });
    await harness.create('b');
    await harness.advance(1);
    const guide = readFileSync(new URL('../../../libs/kopf/docs/tracing.md', import.meta.url), 'utf8');
    const listed = [...guide.matchAll(/^\| `([a-z]\w*\.[\w.]+)` +\| (.*?) +\|/gm)].map(
      ([, name, of]) => `${name}: ${of}`,
    );
    const kindOf = (name: string) => /^(reconcile|handler|admission review)/.exec(name)?.[0] ?? 'request';
    const found = new Map<string, Set<string>>();
    for (const { name, attributes, links } of recorder.spans) {
      const all = [...Object.keys(attributes), ...links.flatMap((link) => Object.keys(link.attributes ?? {}))];
      for (const attribute of all) {
        found.set(
          attribute,
          (found.get(attribute) ?? new Set()).add(attribute === 'kopf.link' ? 'links' : kindOf(name)),
        );
      }
    }
    const order = ['reconcile', 'handler', 'request', 'admission review', 'links'];
    const seen = [...found].map(([name, kinds]) => `${name}: ${order.filter((kind) => kinds.has(kind)).join(', ')}`);
    expect(seen.sort()).toEqual(listed.sort());
  });

  it('should follow the operator no longer than the application runs', async () => {
    await run([Retried]);
    expect(KOPF_CHANNELS.handlerStart.hasSubscribers).toBe(true);
    await harness.stop();
    expect(Object.values(KOPF_CHANNELS).some(({ hasSubscribers }) => hasSubscribers)).toBe(false);
  });

  it('should do no harm where the application has no tracer', async () => {
    await harness.run(Retried, { imports: [KopfTracingModule.forRoot({ storeTraceparent: true })] });
    await harness.create('a');
    await harness.advance(60);
    expect(await harness.marks('a')).toEqual(['kopf.zalando.org/last-handled-configuration']);
    expect(recorder.named('handler')).toEqual([]);
  });
});
