import { Module, type Type } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { sleep } from 'kube-common';
import { OnCreate } from 'nestjs-kopf';
import { KopfMetrics } from 'nestjs-kopf/metrics';
import { startWithDisks } from '../../support/operators/disks.js';
import type { OperatorHarness } from '../../support/operators/operator.harness.js';
import { parseExposition } from '../../support/telemetry/exposition.js';
import { SpanRecorder } from '../../support/telemetry/span.recorder.js';
import { runApplication } from '../support/module.harness.js';
import {
  AppModule,
  DiskOperator,
  DiskService,
  currentAttempt,
  ExemplarModule,
  release,
  SlowAttempts,
  StoredModule,
} from './tracing.example.js';

describe('The examples of tracing', () => {
  let harness: OperatorHarness;
  let recorder: SpanRecorder;

  beforeEach(async () => {
    recorder = SpanRecorder.start();
    trace.setGlobalTracerProvider(recorder.provider);
    onTestFinished(() => trace.disable());
    vi.spyOn(console, 'log').mockReturnValue();
    onTestFinished(() => void vi.restoreAllMocks());
    harness = await startWithDisks();
  });

  const create = async (module: Type) => {
    @Module({ imports: [module], providers: [DiskOperator, DiskService] })
    class Application {}

    const application = await runApplication(harness, Application);
    await recorder.tracer.startActiveSpan('POST /disks', async (span) => {
      await harness.clock.runUntil(application.get(DiskService).order('a'));
      span.end();
    });
    await harness.advance(5);
    return application;
  };

  it.each([AppModule, StoredModule])('should trace the operator, and what its handlers do: %o', async (module) => {
    await create(module);
    const own = recorder.one('reserve');
    const handler = recorder.parentOf(own)!;
    expect(handler.name).toBe('handler create');
    const cycle = recorder.parentOf(handler)!;
    expect(cycle.name).toBe('reconcile disks.example.com');
    expect(recorder.linksOf(cycle)).toEqual([['writer', recorder.one('POST /disks')]]);
  });

  it('should name the trace of what was measured', async () => {
    const application = await create(ExemplarModule);
    const text = await application.get(KopfMetrics, { strict: false }).scrape();
    const samples = parseExposition(text, 'openmetrics').flatMap((family) => family.samples);
    const { traceId, spanId } = recorder.one('handler create').spanContext();
    const named = samples.filter(({ exemplar }) => exemplar?.labels.span_id === spanId);
    expect(named.map(({ exemplar }) => exemplar?.labels.trace_id)).toEqual([traceId]);
  });
});

describe('The examples of diagnostics', () => {
  afterAll(() => void release());

  it('should report slow attempts, and tell a handler which attempt it is', async () => {
    const harness = await startWithDisks();
    const seen: (string | undefined)[] = [];
    class Operator {
      @OnCreate('disks.example.com')
      async create() {
        await sleep(harness.clock, 15);
        seen.push(currentAttempt());
      }
    }
    await harness.run(Operator, { providers: [SlowAttempts] });
    await harness.create('a');
    await harness.advance(20);
    expect(seen).toEqual(['create, attempt 1']);
    expect(harness.get(SlowAttempts).reports).toEqual(['create took 15 seconds']);
    expect(currentAttempt()).toBeUndefined();
  });
});
