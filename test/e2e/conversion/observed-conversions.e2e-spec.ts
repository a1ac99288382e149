import type { DynamicModule } from '@nestjs/common';
import { KopfAdmission, type KubeObject } from 'nestjs-kopf';
import { KopfMetrics, KopfMetricsModule } from 'nestjs-kopf/metrics';
import { KopfTracingModule } from 'nestjs-kopf/tracing';
import { SpanKind } from '@opentelemetry/api';
import { parseExposition, type Sample } from '../../support/telemetry/exposition.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { SpanRecorder } from '../../support/telemetry/span.recorder.js';
import { widget, WidgetConversions } from '../../support/objects/widgets.js';

const WEBHOOK = 'convert/widgets.example.com';

/** The span of the API server. */
const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const headers = { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` };

describe('Reviews of conversions', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  const run = (module: DynamicModule) =>
    harness.run(WidgetConversions, {
      crds: 'apply',
      admission: { server: new StubAdmissionServer({}) },
      imports: [module],
    });
  const convert = (object: KubeObject, webhook = WEBHOOK) => {
    const request = { uid: 'u', desiredAPIVersion: 'example.com/v1', objects: [object] };
    return harness.get(KopfAdmission).convert({ request }, { headers, webhook });
  };

  it('should be counted and measured for each CRD, also those of which an object cannot be converted', async () => {
    await run(KopfMetricsModule.forRoot({ controller: false }));
    const valueOf = async (name: string, wanted: Readonly<Record<string, string>>): Promise<number | undefined> => {
      const families = parseExposition(await harness.get(KopfMetrics).scrape());
      const matches = ({ labels, ...sample }: Sample): boolean =>
        sample.name === name && Object.entries(wanted).every(([key, value]) => labels[key] === value);
      return families.flatMap(({ samples }) => samples).find(matches)?.value;
    };
    const requests = 'controller_runtime_webhook_requests_total';
    expect(await valueOf(requests, { webhook: WEBHOOK, code: '200' })).toBe(0);
    for (const [name, size] of Object.entries({ a: '1Gi', b: '2Gi', c: 'big' }))
      await convert(widget(name, { size }, 'v1alpha1'));
    const others = convert(widget('d', { size: '1Gi' }, 'v1alpha1'), 'convert/others.example.com');
    await expect(others).rejects.toThrow('There is no conversion for others.example.com');
    // The API server gets an answer with the status 200 also for objects that cannot be converted.
    expect(await valueOf(requests, { webhook: WEBHOOK, code: '200' })).toBe(3);
    expect(await valueOf('controller_runtime_webhook_latency_seconds_count', { webhook: WEBHOOK })).toBe(3);
    expect(await valueOf('kopf_webhook_rejections_total', { webhook: WEBHOOK, cause: 'handler' })).toBe(1);
    // Requests for unknown conversions must not create an unlimited number of series.
    expect(await valueOf(requests, { webhook: 'unknown', code: '404' })).toBe(1);
    expect(await valueOf(requests, { webhook: 'convert/others.example.com' })).toBeUndefined();
  });

  it('should have spans, as parts of what the API server traces', async () => {
    const recorder = SpanRecorder.start();
    await run(KopfTracingModule.forRoot({ tracerProvider: recorder.provider }));
    await convert(widget('a', { size: '1Gi' }, 'v1alpha1'));
    await convert(widget('c', { size: 'big' }, 'v1alpha1'));
    const [converted, failed] = recorder.named('conversion review');
    expect(converted).toMatchObject({ kind: SpanKind.SERVER, parentSpanContext: CALLER });
    expect([converted, failed].map(({ attributes }) => attributes)).toMatchObject([
      { 'kopf.review.webhook': WEBHOOK, 'kopf.review.allowed': true, 'http.response.status_code': 200 },
      { 'kopf.review.webhook': WEBHOOK, 'kopf.review.allowed': false, 'http.response.status_code': 200 },
    ]);
    // The objects can contain secrets.
    expect(JSON.stringify(failed.attributes)).not.toContain('big');
  });
});
