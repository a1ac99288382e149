import {
  Daemon,
  Index,
  KopfAdmission,
  OnCreate,
  OnDelete,
  OnEvent,
  OnStartup,
  OnUpdate,
  TemporaryError,
  Timer,
  Validate,
  AdmissionError,
  type ChangeContext,
  type DaemonContext,
  type AdmissionContext,
} from 'nestjs-kopf';
import { KopfMetrics, KopfMetricsModule, type KopfMetricsOptions } from 'nestjs-kopf/metrics';
import { parseExposition, type Family } from '../../support/telemetry/exposition.js';
import { KEX, OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview, StubAdmissionServer } from '../../support/webhooks/reviews.js';

/** Does a bit of everything that there are metrics for. */
export class MeteredOperator {
  @OnStartup()
  start() {}

  @Index(...KEX)
  byField({ spec, name }: { spec: any; name: string }) {
    return { [String(spec.field)]: name };
  }

  @OnEvent(...KEX)
  note() {}

  @OnCreate(...KEX)
  create({ retry, spec, name, subhandler }: ChangeContext) {
    // Ids of sub-handlers often come from the object.
    subhandler(`of-${name}`, () => undefined);
    if (spec.fails && retry === 0) throw new TemporaryError('Not yet.', { delay: 10 });
  }

  @OnUpdate(...KEX)
  update() {}

  @OnDelete(...KEX)
  delete() {}

  @Daemon(...KEX)
  async daemon({ stopped }: DaemonContext) {
    await stopped.wait();
  }

  @Timer(...KEX, { interval: 60 })
  timer() {}

  @Validate(...KEX)
  check({ spec }: AdmissionContext) {
    if (spec.forbidden) throw new AdmissionError('Not that.');
  }
}

/** An operator whose metrics are scraped. */
export class MeteredWorld {
  private constructor(readonly harness: OperatorHarness) {}

  /** Starts an operator, with metrics in a registry of its own unless the options say otherwise. */
  static async start(
    handlers: OperatorOptions['providers'] = [MeteredOperator],
    options: OperatorOptions = {},
    metrics: KopfMetricsOptions = {},
    harness?: OperatorHarness,
  ): Promise<MeteredWorld> {
    const used = harness ?? (await OperatorHarness.start());
    await used.run(handlers, {
      ...options,
      admission: { server: new StubAdmissionServer({}), ...options.admission },
      imports: [...(options.imports ?? []), KopfMetricsModule.forRoot({ controller: false, ...metrics })],
    });
    return new MeteredWorld(used);
  }

  /** Has the operator do all that it can, with so many objects. */
  async work(count: number): Promise<void> {
    const { harness } = this;
    const names = Array.from({ length: count }, (_, index) => `object-${index}`);
    for (const [index, name] of names.entries()) {
      await harness.create(name, { spec: { field: `value-${index}`, fails: index === 0 } });
    }
    await harness.advance(30);
    for (const name of names) await harness.patch(name, { spec: { field: `other-${name}` } });
    await harness.advance(30);
    await harness.delete(names[0]);
    await harness.advance(90);
    const admission = harness.get(KopfAdmission);
    await admission.review(makeReview(makeExample({})), { headers: {} });
    await admission.review(makeReview(makeExample({ forbidden: true })), { headers: {}, webhook: 'check' });
    await admission.review(makeReview(makeExample({})), { headers: {}, webhook: 'object-1' }).catch(() => undefined);
    await harness.advance(1);
  }

  text(): Promise<string> {
    return this.harness.get(KopfMetrics).scrape();
  }

  async scrape(): Promise<readonly Family[]> {
    return parseExposition(await this.text());
  }

  /** The value of the only series that has the labels. */
  async value(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
    const found = (await this.scrape())
      .flatMap(({ samples }) => samples)
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value));
    if (found.length > 1) throw new Error(`${name} has ${found.length} such series.`);
    return found[0]?.value;
  }
}
