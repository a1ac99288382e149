import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable, Module, type CanActivate } from '@nestjs/common';
import { KopfModule, OnCreate, OnEvent, PermanentError, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import { KOPF_CHANNELS, OperatorIdentity } from 'nestjs-kopf/diagnostics';
import {
  KopfMetrics,
  KopfMetricsModule,
  type ExemplarMessage,
  type KopfMetricsOptionsFactory,
} from 'nestjs-kopf/metrics';
import { SeededRandom } from 'nestjs-kopf/testing';
import { Counter, Registry } from 'prom-client';
import { sleep } from 'kube-common';
import { parseExposition, type Family } from '../../support/telemetry/exposition.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { PLATFORMS, ServedOperator, type Platform } from '../../support/operators/served.operator.js';
import { MeteredOperator, MeteredWorld } from './metered.operator.js';

const GUIDE = join(import.meta.dirname, '../../../libs/kopf/docs/metrics.md');
const RESOURCE = 'kopfexamples.kopf.dev';

/** Names all series, whatever their values. */
function seriesOf(families: readonly Family[]): readonly string[] {
  return families
    .flatMap(({ samples }) => samples)
    .map(({ name, labels }) => `${name}${JSON.stringify(labels)}`)
    .sort();
}

describe('The metrics', () => {
  it('should be those of the guide, each with its type and labels, under load', async () => {
    const world = await MeteredWorld.start();
    await world.work(5);
    const rows = [...readFileSync(GUIDE, 'utf8').matchAll(/^\| `(\w+)` +\| (\w+) +\| ([^|]*?) *\| /gm)];
    const listed = rows
      .filter(([, , type]) => ['counter', 'gauge', 'histogram'].includes(type))
      .map(([, name, type, labels]) => ({ name, type, labels: [...labels.matchAll(/\w+/g)].map(String).sort() }));
    const scraped = (await world.scrape()).map(({ name, type, samples }) => {
      const names = new Set(samples.flatMap(({ labels }) => Object.keys(labels)));
      expect(samples.length, name).toBeGreaterThan(0);
      expect(names.delete('operator'), name).toBe(true);
      names.delete('le');
      return { name, type, labels: [...names].sort() };
    });
    const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);
    expect(listed.length).toBeGreaterThan(35);
    expect(scraped.sort(byName)).toEqual(listed.sort(byName));
  });

  it('should have the same series for 10 objects as for 300', async () => {
    const few = await MeteredWorld.start();
    await few.work(10);
    const many = await MeteredWorld.start();
    await many.work(300);
    const series = seriesOf(await many.scrape());
    expect(series).toEqual(seriesOf(await few.scrape()));
    expect(await many.value('kopf_objects')).toBe(299);
  }, 120_000);

  it('should show nothing of objects in labels or texts', async () => {
    const canary = 'c4n4ry';
    class Operator {
      @OnCreate('', 'v1', 'secrets')
      create({ name, subhandler }: ChangeContext) {
        subhandler(`of-${name}`, () => {
          throw new PermanentError(canary);
        });
      }
    }
    const world = await MeteredWorld.start([Operator]);
    const data = { password: Buffer.from(canary).toString('base64') };
    const metadata = { name: canary, labels: { label: canary }, annotations: { annotation: canary } };
    await world.harness.send('POST', '/api/v1/namespaces/ns/secrets', { metadata, data });
    await world.harness.advance(30);
    const text = await world.text();
    expect(text).toContain('handler="create/*"');
    expect(text).not.toContain(canary);
    expect(text).not.toContain(data.password);
  });

  it('should tell how attempts end, what is retried, and when the next attempt is due', async () => {
    class Operator {
      @OnCreate(...KEX)
      later({ retry }: ChangeContext) {
        if (retry < 2) throw new TemporaryError('Not yet.', { delay: 60 });
      }

      @OnCreate(...KEX)
      never() {
        throw new PermanentError('Never.');
      }

      @OnEvent(...KEX)
      event() {
        throw new Error('Nobody minds.');
      }
    }
    const world = await MeteredWorld.start([Operator]);
    const attempts = (handler: string, outcome: string) =>
      world.value('kopf_handler_attempts_total', { handler, resource: RESOURCE, outcome });
    await world.harness.create('a');
    await world.harness.advance(20);
    expect(await attempts('later', 'retried')).toBe(1);
    expect(await attempts('never', 'failed')).toBe(1);
    expect(await attempts('event', 'ignored')).toBeGreaterThan(0);
    expect(await world.value('kopf_handler_pending', { handler: 'later' })).toBe(1);
    expect(await world.value('kopf_handler_next_due_seconds', { handler: 'later' })).toBe(40);
    expect(await world.value('controller_runtime_reconcile_total', { result: 'error' })).toBeGreaterThan(0);
    await world.harness.advance(150);
    expect(await attempts('later', 'succeeded')).toBe(1);
    expect(await world.value('kopf_handler_retries_total', { handler: 'later' })).toBe(2);
    expect(await world.value('kopf_handler_pending', { handler: 'later' })).toBe(0);
    expect(await world.value('kopf_handler_next_due_seconds', { handler: 'later' })).toBe(0);
  });

  it('should forget what is pending for objects that have gone', async () => {
    class Operator {
      @OnCreate(...KEX)
      later() {
        throw new TemporaryError('Not yet.', { delay: 600 });
      }
    }
    const world = await MeteredWorld.start([Operator]);
    await world.harness.create('a');
    await world.harness.advance(20);
    expect(await world.value('kopf_handler_pending', { handler: 'later' })).toBe(1);
    await world.harness.delete('a');
    await world.harness.advance(20);
    expect(await world.value('kopf_handler_pending', { handler: 'later' })).toBe(0);
  });

  it('should tell of workers and queues while handlers run, without the sleep until others are due', async () => {
    const harness = await OperatorHarness.start();
    class Operator {
      @OnCreate(...KEX)
      async slow({ retry }: ChangeContext) {
        await sleep(harness.clock, 30);
        if (retry === 0) throw new TemporaryError('Not yet.', { delay: 100 });
      }
    }
    const world = await MeteredWorld.start([Operator], { queueing: { workerLimit: 2 } }, {}, harness);
    for (const name of ['a', 'b', 'c']) await harness.create(name);
    await harness.advance(10);
    expect(await world.value('controller_runtime_active_workers')).toBe(2);
    expect(await world.value('controller_runtime_max_concurrent_reconciles')).toBe(2);
    expect(await world.value('workqueue_depth')).toBe(1);
    expect(await world.value('workqueue_unfinished_work_seconds')).toBe(20);
    expect(await world.value('workqueue_longest_running_processor_seconds')).toBe(10);
    expect(await world.value('kopf_handler_running', { handler: 'slow' })).toBe(2);
    await harness.advance(60);
    // All three wait for their second attempts now.
    expect(await world.value('controller_runtime_active_workers')).toBe(0);
    expect(await world.value('workqueue_longest_running_processor_seconds')).toBe(0);
    expect(await world.value('workqueue_queue_duration_seconds_sum')).toBeGreaterThanOrEqual(30);
    await harness.advance(300);
    expect(await world.value('workqueue_work_duration_seconds_sum')).toBe(180);
    expect(await world.value('controller_runtime_reconcile_time_seconds_sum')).toBe(180);
  });

  it('should count own writes that the watch has not shown, and watches by their states', async () => {
    const harness = await OperatorHarness.start();
    class Operator {
      @OnCreate(...KEX)
      async create({ patch }: ChangeContext) {
        await sleep(harness.clock, 5);
        patch.status.done = true;
      }
    }
    const world = await MeteredWorld.start([Operator], {}, {}, harness);
    expect(await world.value('kopf_watch_state', { resource: RESOURCE, state: 'watching' })).toBe(1);
    await harness.create('a');
    await harness.advance(2);
    harness.kube.faults.damageWatches('stall', { resource: RESOURCE });
    await harness.advance(60);
    expect(await world.value('kopf_own_writes_unseen')).toBe(1);
    expect(await world.value('kopf_watch_lag_seconds', { resource: RESOURCE })).toBeGreaterThanOrEqual(60);
    const fault = harness.kube.faults.reject(403, { verb: ['list', 'watch'], resource: RESOURCE, times: Infinity });
    harness.kube.faults.damageWatches('cut', { resource: RESOURCE });
    await harness.advance(60);
    expect(await world.value('kopf_watch_state', { resource: RESOURCE, state: 'forbidden' })).toBe(1);
    expect(await world.value('kopf_watch_failures_total', { resource: RESOURCE })).toBeGreaterThan(0);
    fault.cancel();
    await harness.advance(120);
    expect(await world.value('kopf_own_writes_unseen')).toBe(0);
    expect(await world.value('kopf_watch_state', { resource: RESOURCE, state: 'watching' })).toBe(1);
  });

  it('should keep operators of one process apart: in two registries, and in one', async () => {
    class Edge {
      readonly name = 'edge';
    }
    // Operators with daemons and without would take each other's finalizer away.
    class Creating {
      @OnCreate(...KEX)
      create() {}
    }
    class Watching {
      @OnEvent(...KEX)
      note() {}
    }
    const harness = await OperatorHarness.start();
    const registry = new Registry();
    await MeteredWorld.start([Creating], {}, { registry }, harness);
    const overrides = new Map([[OperatorIdentity, Edge]]);
    await MeteredWorld.start([Watching], { overrides }, { registry }, harness);
    await MeteredWorld.start([Watching], {}, {}, harness);
    const own = harness.get(KopfMetrics);
    await harness.create('a');
    await harness.advance(5);
    expect(await own.scrape()).not.toContain('handler="create"');
    expect(await own.scrape()).toContain('handler="note"');
    const families = parseExposition(await registry.metrics());
    const attempts = families.find(({ name }) => name === 'kopf_handler_attempts_total')!.samples;
    const handlersOf = (operator: string) =>
      new Set(attempts.filter(({ labels }) => labels.operator === operator).map(({ labels }) => labels.handler));
    expect(handlersOf('default')).toContain('create');
    expect([...handlersOf('edge')]).toEqual(['note']);
  });

  it('should follow the operator no longer than the application runs', async () => {
    const world = await MeteredWorld.start();
    await world.work(2);
    await world.harness.stop();
    for (const channel of Object.values(KOPF_CHANNELS)) expect(channel.hasSubscribers).toBe(false);
  });

  it('should be added to a registry that other applications have used, and refuse one with other metrics of the same names', async () => {
    const registry = new Registry();
    const first = await MeteredWorld.start([MeteredOperator], {}, { registry });
    await first.work(2);
    await first.harness.stop();
    const second = await MeteredWorld.start([MeteredOperator], {}, { registry });
    await second.harness.create('a');
    await second.harness.advance(5);
    expect(await second.value('kopf_objects')).toBe(1);
    expect(await second.value('kopf_handler_attempts_total', { handler: 'create', outcome: 'succeeded' })).toBe(3);
    const occupied = new Registry();
    void new Counter({ name: 'workqueue_adds_total', help: 'Of somebody else.', registers: [occupied] });
    await expect(MeteredWorld.start([MeteredOperator], {}, { registry: occupied })).rejects.toThrow(
      "The options of KopfMetricsModule are wrong: registry has another metric 'workqueue_adds_total' already; leave the option out",
    );
  });

  it('should have exemplars if they are asked for, in the format that has them', async () => {
    const seen: ExemplarMessage[] = [];
    const exemplars = (message: ExemplarMessage) => {
      seen.push(message);
      return 'handler' in message ? { trace_id: `of-${message.handler.id}` } : undefined;
    };
    const world = await MeteredWorld.start([MeteredOperator], {}, { exemplars });
    await world.work(2);
    const families = parseExposition(await world.text(), 'openmetrics');
    const durations = families.find(({ name }) => name === 'kopf_handler_duration_seconds')!;
    const exemplar = durations.samples.find(({ exemplar: one, labels }) => one && labels.handler === 'create');
    expect(exemplar?.exemplar?.labels).toEqual({ trace_id: 'of-create' });
    expect(seen.some((message) => 'host' in message)).toBe(true);
    expect(seen.some((message) => 'work' in message)).toBe(true);
  });

  it('should reject wrong options, with what to do', () => {
    const create = (options: object) => () => KopfMetricsModule.forRoot(options);
    expect(create({ path: '//' })).toThrow(
      'The options of KopfMetricsModule are wrong: path must be more than slashes',
    );
    expect(create({ controller: 'yes' })).toThrow('controller must be true or false');
    expect(create({ guard: [] })).toThrow('guard does not exist; did you mean guards?');
    expect(create({ registri: undefined, exemplar: true })).toThrow('exemplar does not exist; did you mean exemplars?');
  });

  it('should reject a registry that is none when the application starts', async () => {
    await expect(MeteredWorld.start([], {}, { registry: {} as never })).rejects.toThrow(
      'The options of KopfMetricsModule are wrong: registry must be a Registry of prom-client',
    );
  });
});

describe.each(Object.keys(PLATFORMS) as Platform[])('The endpoint of the metrics with %s', (platform) => {
  class Watching {
    @OnEvent(...KEX)
    note() {}
  }

  it('should answer in the format of Prometheus', async () => {
    const harness = await OperatorHarness.start();
    const imports = [KopfMetricsModule.forRoot()];
    const served = await ServedOperator.start(harness, { platform, handlers: [Watching], imports });
    await served.ready();
    const { status, type, text } = await served.getText('/metrics');
    expect(status).toBe(200);
    expect(type).toMatch(/^text\/plain; version=0\.0\.4; charset=utf-8$/);
    expect(parseExposition(text).length).toBeGreaterThan(35);
  });

  it('should be guarded, and served where the options say, with a registry that is injected', async () => {
    const harness = await OperatorHarness.start();
    const registry = new Registry();
    @Module({ providers: [{ provide: Registry, useValue: registry }], exports: [Registry] })
    class RegistryModule {}
    const guard: CanActivate = {
      canActivate: (context) => context.switchToHttp().getRequest().headers.authorization === 'Bearer me',
    };
    const imports = [
      KopfMetricsModule.forRootAsync({
        path: 'ops/metrics',
        guards: [guard],
        imports: [RegistryModule],
        inject: [Registry],
        useFactory: (given: Registry) => ({ registry: given }),
      }),
    ];
    const served = await ServedOperator.start(harness, { platform, handlers: [Watching], imports });
    await served.ready();
    expect((await served.getText('/ops/metrics')).status).toBe(403);
    expect((await served.getText('/metrics')).status).toBe(404);
    const { status, text } = await served.getText('/ops/metrics', { authorization: 'Bearer me' });
    expect(status).toBe(200);
    expect(parseExposition(text).map(({ name }) => name)).toEqual(registry.getMetricsAsArray().map(({ name }) => name));
  });

  it.each(['useClass', 'useExisting'] as const)('should take a registry from a class, by %s', async (source) => {
    const registry = new Registry();
    @Injectable()
    class MetricsOptions implements KopfMetricsOptionsFactory {
      createKopfMetricsOptions() {
        return { registry };
      }
    }
    @Module({ providers: [MetricsOptions], exports: [MetricsOptions] })
    class OptionsModule {}
    const harness = await OperatorHarness.start();
    const imports = [KopfMetricsModule.forRootAsync({ imports: [OptionsModule], [source]: MetricsOptions })];
    const served = await ServedOperator.start(harness, { platform, handlers: [Watching], imports });
    await served.ready();
    expect((await served.getText('/metrics')).text).toContain('kopf_operator_state');
    expect(registry.getSingleMetric('kopf_operator_state')).toBeDefined();
  });

  it.each([
    { globalPrefix: undefined, found: '/api/metrics', missing: '/metrics' },
    { globalPrefix: false, found: '/metrics', missing: '/api/metrics' },
  ])(
    'should be under the global prefix unless it is exempt: $globalPrefix',
    async ({ globalPrefix, found, missing }) => {
      const harness = await OperatorHarness.start();
      const served = await ServedOperator.start(harness, {
        platform,
        handlers: [Watching],
        imports: [KopfMetricsModule.forRoot({ globalPrefix })],
        prepare: (app) => void app.setGlobalPrefix('api'),
      });
      await served.ready();
      expect((await served.getText(found)).status).toBe(200);
      expect((await served.getText(missing)).status).toBe(404);
    },
  );

  it('should be one for each operator with a name', async () => {
    class Edge {
      @OnEvent(...KEX, { operator: 'edge' })
      look() {}
    }
    const harness = await OperatorHarness.start();
    const credentials = { server: 'http://embedded', transport: harness.kube.transport() };
    const { clock } = harness;
    const served = await ServedOperator.start(harness, {
      platform,
      handlers: [Watching, Edge],
      imports: [
        KopfMetricsModule.forRoot(),
        KopfMetricsModule.forRoot({ operator: 'edge' }),
        KopfModule.forRoot({ name: 'edge', clock, random: new SeededRandom(5), credentials }),
      ],
    });
    await served.ready();
    await harness.create('a');
    await harness.advance(5);
    const own = (await served.getText('/metrics')).text;
    const edge = (await served.getText('/metrics/edge')).text;
    expect(own).toContain('kopf_handler_attempts_total{operator="default",handler="note"');
    expect(edge).toContain('kopf_handler_attempts_total{operator="edge",handler="look"');
    expect(own).not.toContain('operator="edge"');
    expect(edge).not.toContain('operator="default"');
  });

  it('should not be there if nobody wants it', async () => {
    const harness = await OperatorHarness.start();
    const imports = [KopfMetricsModule.forRoot({ controller: false })];
    const served = await ServedOperator.start(harness, { platform, handlers: [Watching], imports });
    await served.ready();
    expect((await served.getText('/metrics')).status).toBe(404);
  });
});
