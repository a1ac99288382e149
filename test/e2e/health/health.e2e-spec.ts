import { Injectable, Module } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { Index, OnCreate, OnEvent, OnProbe, OnStartup, PermanentError, SystemClock, TemporaryError } from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import {
  KopfHealthModule,
  type KopfHealthAsyncOptions,
  type KopfHealthOptions,
  type KopfHealthOptionsFactory,
} from 'nestjs-kopf/health';
import { eventually } from '../../support/time/eventually.js';
import { readManifests } from '../../support/clusters/manifests.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import {
  PLATFORMS,
  ServedOperator,
  type Platform,
  type ServedOptions,
} from '../../support/operators/served.operator.js';

const EXAMPLES = { resource: 'kopfexamples.kopf.dev' };

const REQUIRED = { options: { required: true } };

class Watching {
  @OnEvent(...KEX)
  note() {}
}

describe.each(Object.keys(PLATFORMS) as Platform[])('The health over HTTP with %s', (platform) => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  async function serve(
    handlers: ServedOptions['handlers'] = [Watching],
    health: KopfHealthOptions = {},
    more: Partial<ServedOptions> = {},
  ): Promise<ServedOperator> {
    const imports = [KopfHealthModule.forRoot({ controller: true, ...health })];
    return ServedOperator.start(harness, { platform, handlers, imports, ...more });
  }

  async function serveReady(...args: Parameters<typeof serve>): Promise<ServedOperator> {
    const served = await serve(...args);
    await served.ready();
    return served;
  }

  it('should be fine when everything is', async () => {
    const served = await serveReady();
    const live = await served.get('/healthz');
    expect(live.status).toBe(200);
    expect(live.body).toMatchObject({
      status: 'ok',
      details: {
        kopf: {
          status: 'up',
          operator: { status: 'up', state: 'running' },
          eventLoop: { status: 'up', lag: 0 },
          watchers: { status: 'up', total: 1 },
          credentials: { status: 'up' },
          probes: { status: 'up', handlers: {} },
        },
      },
    });
    expect(await served.get('/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('should be served where the options say, and nowhere else', async () => {
    const served = await serveReady([Watching], { livenessPath: 'alive', readinessPath: 'ops/ready', key: 'volumes' });
    expect((await served.get('/alive')).body.details).toHaveProperty('volumes');
    expect((await served.get('/ops/ready')).body.details).toHaveProperty('volumes');
    expect((await served.get('/healthz')).status).toBe(404);
  });

  it('should not be served without being asked for', async () => {
    const served = await serveReady([Watching], { controller: false });
    expect((await served.get('/healthz')).status).toBe(404);
  });

  it('should not be ready, but alive, until all objects are listed', async () => {
    const fault = harness.kube.faults.stall('before', { verb: 'list', ...EXAMPLES });
    class Operator extends Watching {
      @Index(...KEX)
      names({ name }: { name: string }) {
        return name;
      }
    }
    const served = await serve([Operator]);
    await eventually('the list request', () => fault.hits > 0);
    const before = await served.get('/readyz');
    expect(before.status).toBe(503);
    expect(before.body.error.kopf).toMatchObject({
      operator: { status: 'down', state: 'starting' },
      watchers: { status: 'down', listing: ['kopfexamples.kopf.dev'] },
      indices: { status: 'down', names: ['names'] },
    });
    expect((await served.get('/healthz')).status).toBe(200);
    await harness.advance(600);
    await served.ready();
    expect(await served.get('/readyz')).toMatchObject({
      status: 200,
      body: { details: { kopf: { indices: { status: 'up' }, watchers: { status: 'up' } } } },
    });
  });

  it('should not be ready, but alive, while it is not started', async () => {
    const served = await serve([Watching], {}, { options: { enabled: false } });
    expect(await served.get('/readyz')).toMatchObject({
      status: 503,
      body: { error: { kopf: { operator: { status: 'down', state: 'idle' } } } },
    });
    expect((await served.get('/healthz')).status).toBe(200);
    await harness.clock.runUntil(served.operator.start());
    await served.ready();
    expect((await served.get('/readyz')).status).toBe(200);
    await harness.clock.runUntil(served.operator.stop());
    expect((await served.get('/readyz')).status).toBe(503);
    expect((await served.get('/healthz')).status).toBe(200);
  });

  it('should name a watcher that is silent, until something comes again', async () => {
    const served = await serveReady([Watching], { watchStaleAfter: 100 }, REQUIRED);
    await harness.advance(300);
    expect((await served.get('/healthz')).status).toBe(200);
    const fault = harness.kube.faults.stall('before', { verb: 'watch', ...EXAMPLES, times: Infinity });
    expect(harness.kube.faults.damageWatches('stall', EXAMPLES)).toBe(1);
    await harness.advance(161);
    const silent = await served.get('/healthz');
    expect(silent.status).toBe(503);
    expect(silent.body.error.kopf.watchers).toMatchObject({
      status: 'down',
      silent: [expect.stringMatching(/^kopfexamples\.kopf\.dev: nothing for \d+ seconds$/)],
    });
    expect(silent.body.error.kopf.credentials).toEqual({ status: 'up' });
    fault.cancel();
    await harness.advance(300);
    expect((await served.get('/healthz')).status).toBe(200);
  });

  it.each([3600, -3600])(
    'should not take it for silence when the clock of the machine jumps by %s seconds',
    async (seconds) => {
      const served = await serveReady([Watching], { watchStaleAfter: 100 }, REQUIRED);
      await harness.advance(90);
      const { clock } = harness;
      const now = clock.now.bind(clock);
      clock.now = () => now() + seconds * 1000;
      expect((await served.get('/healthz')).status).toBe(200);
      clock.now = now;
    },
  );

  it('should tell which watcher is forbidden, and be degraded only', async () => {
    const fault = harness.kube.faults.reject(403, { verb: ['list', 'watch'], ...EXAMPLES, times: Infinity });
    const served = await serveReady();
    const refused = await served.get('/readyz');
    expect(refused.status).toBe(200);
    expect(refused.body).toMatchObject({
      status: 'degraded',
      details: { kopf: { status: 'degraded', watchers: { status: 'degraded' } } },
    });
    expect(refused.body.details.kopf.watchers.impaired[0]).toMatch(/^kopfexamples\.kopf\.dev: forbidden, .*forbidden/i);
    expect((await served.get('/healthz')).status).toBe(200);
    fault.cancel();
    await harness.advance(600);
    expect((await served.get('/readyz')).body.status).toBe('ok');
  });

  it('should tell that the credentials are exhausted, until there are others', async () => {
    const served = await serveReady([Watching], {}, REQUIRED);
    const fault = harness.kube.faults.reject(401, { times: Infinity });
    harness.kube.faults.damageWatches('cut', EXAMPLES);
    // Some seconds of 401 are no proof.
    await harness.advance(5);
    for (const path of ['/healthz', '/readyz']) expect((await served.get(path)).status).toBe(200);
    await harness.advance(10);
    for (const path of ['/healthz', '/readyz']) {
      const { status, body } = await served.get(path);
      expect(status).toBe(503);
      expect(body.error.kopf.credentials).toEqual({
        status: 'down',
        message: expect.stringContaining('No valid credentials'),
      });
    }
    fault.cancel();
    await harness.advance(300);
    for (const path of ['/healthz', '/readyz']) expect((await served.get(path)).status).toBe(200);
  });

  it('should be degraded while the operator pauses by hand', async () => {
    const served = await serveReady();
    served.operator.pause('for maintenance');
    await harness.advance(3600);
    for (const path of ['/healthz', '/readyz']) {
      expect(await served.get(path)).toMatchObject({
        status: 200,
        body: {
          status: 'degraded',
          details: { kopf: { operator: { status: 'degraded', state: 'paused', reasons: ['for maintenance'] } } },
        },
      });
    }
    served.operator.resume();
    expect((await served.get('/healthz')).status).toBe(200);
    await harness.advance(1);
    for (const path of ['/healthz', '/readyz']) expect((await served.get(path)).body.status).toBe('ok');
  });

  it('should be degraded while another operator of a higher priority works', async () => {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const manifest of readManifests('peering.yaml')) await harness.send('POST', definitions, manifest);
    await harness.advance(1);
    await harness.send('POST', '/apis/kopf.dev/v1/clusterkopfpeerings', {
      apiVersion: 'kopf.dev/v1',
      kind: 'ClusterKopfPeering',
      metadata: { name: 'default' },
    });
    const served = await serveReady();
    const other = await harness.run(Watching, { random: new SeededRandom(9), peering: { priority: 100 } });
    await harness.advance(5);
    const paused = await served.get('/healthz');
    expect(paused).toMatchObject({ status: 200, body: { status: 'degraded' } });
    expect(paused.body.details.kopf.operator.reasons[0]).toMatch(/priority/);
    await harness.stop(other);
    await harness.advance(5);
    expect((await served.get('/healthz')).body.status).toBe('ok');
  });

  it('should tell why the operator could not start', async () => {
    class Failing {
      @OnStartup()
      begin() {
        throw new PermanentError('There is no licence.');
      }
    }
    const served = await serve([Failing], {}, { options: { enabled: false, required: true } });
    await expect(harness.clock.runUntil(served.operator.start())).rejects.toThrow('There is no licence.');
    const { status, body } = await served.get('/healthz');
    expect(status).toBe(503);
    expect(body.error.kopf.operator).toMatchObject({ status: 'down', state: 'failed' });
    expect(body.error.kopf.operator.message).toContain('There is no licence.');
  });

  it('should tell that the event loop was blocked, until this was long ago', async () => {
    const clock = new SystemClock();
    const health = { maxEventLoopLag: 0.5, eventLoopLagWindow: 1 };
    const served = await serveReady([Watching], health, { clock });
    const until = performance.now() + 1500;
    while (performance.now() < until);
    const blocked = await served.get('/healthz');
    expect(blocked.status).toBe(503);
    expect(blocked.body.error.kopf.eventLoop).toMatchObject({
      status: 'down',
      message: expect.stringMatching(/^The event loop was blocked for [12]\.\d+ seconds\.$/),
    });
    await pause(1700);
    await eventually('the recovery', async () => (await served.get('/healthz')).status === 200, 10);
  });

  describe('with probe handlers', () => {
    it('should show what they return, and ask them once in ten seconds', async () => {
      let calls = 0;
      class Probing extends Watching {
        @OnProbe({ id: 'now' })
        time() {
          return new Date(harness.clock.now());
        }
        @OnProbe()
        async calls() {
          return { count: ++calls };
        }
        @OnProbe()
        nothing() {}
      }
      const served = await serveReady([Probing]);
      const both = await Promise.all([served.get('/healthz'), served.get('/healthz')]);
      for (const { status, body } of both) {
        expect(status).toBe(200);
        expect(body.details.kopf.probes).toEqual({
          status: 'up',
          handlers: {
            now: { status: 'up', result: expect.stringMatching(/^20/) },
            calls: { status: 'up', result: { count: 1 } },
            nothing: { status: 'up' },
          },
        });
      }
      await harness.advance(9.9);
      await served.get('/healthz');
      expect(calls).toBe(1);
      await harness.advance(0.2);
      await served.get('/healthz');
      expect(calls).toBe(2);
    });

    it('should have them in the indices and the memo of the operator', async () => {
      class Probing {
        @OnStartup()
        begin({ memo }: { memo: any }) {
          memo.licence = 'valid';
        }
        @Index(...KEX)
        names({ name }: { name: string }) {
          return { [name]: name };
        }
        @OnProbe({ param: 'p' })
        seen({ memo, indices, param, retry }: { memo: any; indices: any; param: string; retry: number }) {
          return [memo.licence, indices.names.size, param, retry];
        }
      }
      await harness.create('a');
      const served = await serveReady([Probing]);
      const { probes } = (await served.get('/healthz')).body.details.kopf;
      expect(probes.handlers.seen.result).toEqual(['valid', 1, 'p', 0]);
    });

    it('should tell which one fails, without hiding the others, and recover', async () => {
      let isBroken = true;
      class Probing {
        @OnProbe()
        database() {
          if (isBroken) throw new Error('no connection');
          return 'connected';
        }
        @OnProbe()
        licence() {
          if (isBroken) throw new PermanentError('expired');
        }
        @OnProbe()
        queue() {
          if (isBroken) throw new TemporaryError('full', { delay: 60 });
        }
        @OnProbe({ errors: 'ignored' })
        cache() {
          throw new Error('cold');
        }
        @OnProbe()
        circular() {
          const circle: Record<string, unknown> = {};
          circle.self = isBroken ? circle : 'fine';
          return circle;
        }
        @OnProbe()
        fine() {
          return 1;
        }
      }
      const served = await serveReady([Probing]);
      const { status, body } = await served.get('/healthz');
      expect(status).toBe(503);
      expect(body.error.kopf.probes).toEqual({
        status: 'down',
        handlers: {
          database: { status: 'down', message: 'no connection' },
          licence: { status: 'down', message: 'expired' },
          queue: { status: 'down', message: expect.stringContaining('full') },
          cache: { status: 'up' },
          circular: { status: 'down', message: expect.stringContaining('what JSON cannot hold') },
          fine: { status: 'up', result: 1 },
        },
      });
      isBroken = false;
      await harness.advance(11);
      expect(await served.get('/healthz')).toMatchObject({
        status: 200,
        body: { details: { kopf: { probes: { handlers: { database: { result: 'connected' } } } } } },
      });
    });

    it('should retry one inside of its time, if it wants that', async () => {
      class Probing {
        @OnProbe({ errors: 'temporary', backoff: 1, retries: 3 })
        flaky({ retry }: { retry: number }) {
          if (retry < 2) throw new Error('not yet');
          return retry;
        }
      }
      const served = await serveReady([Probing]);
      const asked = served.get('/healthz');
      await pause(100);
      await harness.advance(3);
      expect((await asked).body.details.kopf.probes.handlers.flaky).toEqual({ status: 'up', result: 2 });
    });

    it('should tell which one hangs, without waiting for it for long, and never have two of it', async () => {
      let calls = 0;
      let aborted = 0;
      let release: (value: string) => void = () => undefined;
      class Probing {
        @OnProbe({ timeout: 2 })
        hanging({ signal }: { signal: AbortSignal }) {
          calls += 1;
          signal.addEventListener('abort', () => (aborted += 1));
          return new Promise<string>((resolve) => (release = resolve));
        }
        @OnProbe()
        fine() {
          return 1;
        }
      }
      const served = await serveReady([Probing]);
      const asked = served.get('/healthz');
      await eventually('the probe', () => calls > 0);
      await harness.advance(2.1);
      const { status, body } = await asked;
      expect(status).toBe(503);
      expect(body.error.kopf.probes.handlers).toEqual({
        hanging: { status: 'down', message: expect.stringContaining('timed out after 2 seconds') },
        fine: { status: 'up', result: 1 },
      });
      expect(aborted).toBe(1);
      await harness.advance(60);
      // Nobody waits for it a second time.
      expect((await served.get('/healthz')).status).toBe(503);
      expect(calls).toBe(1);
      release('at last');
      await pause(10);
      const again = served.get('/healthz');
      await eventually('the next call', () => calls === 2);
      release('fine again');
      expect((await again).body.details.kopf.probes.handlers.hanging).toEqual({ status: 'up', result: 'fine again' });
    });

    it('should not ask them before the operator is ready', async () => {
      let calls = 0;
      class Probing {
        @OnProbe()
        early() {
          calls += 1;
        }
      }
      const served = await serve([Probing], {}, { options: { enabled: false } });
      expect((await served.get('/healthz')).body.details.kopf).not.toHaveProperty('probes');
      expect(calls).toBe(0);
    });
  });
});

describe('Probe handlers', () => {
  it('should have ids of their own', async () => {
    class One {
      @OnProbe()
      state() {}
    }
    class Two {
      @OnProbe()
      state() {}
      @OnCreate(...KEX)
      create() {}
    }
    const harness = await OperatorHarness.start();
    await expect(harness.run([One, Two])).rejects.toThrow(
      "One.state and Two.state are both probes 'state'; give one of them another option 'id'",
    );
  });
});

describe('The options of the health', () => {
  it('should be checked, all at once', () => {
    const options = { controller: 'yes', watchStaleAfter: -1, path: '/x' } as unknown as KopfHealthOptions;
    expect(() => KopfHealthModule.forRoot(options)).toThrow(
      /KopfHealthModule are wrong: controller must be true or false; watchStaleAfter must be .*; path does not exist/,
    );
  });

  describe('that are made when the application starts', () => {
    @Injectable()
    class Config implements KopfHealthOptionsFactory {
      createKopfHealthOptions() {
        return { key: 'volumes' };
      }
    }
    @Module({ providers: [Config], exports: [Config] })
    class ConfigModule {}

    it.each<[string, KopfHealthAsyncOptions]>([
      ['by a function', { useFactory: async () => ({ key: 'volumes' }) }],
      [
        'by a function of what is injected',
        {
          imports: [ConfigModule],
          inject: [Config],
          useFactory: (config: Config) => config.createKopfHealthOptions(),
        },
      ],
      ['by a class', { useClass: Config }],
      ['by a provider', { imports: [ConfigModule], useExisting: Config }],
    ])('should be made %s', async (_what, options) => {
      const harness = await OperatorHarness.start();
      const served = await ServedOperator.start(harness, {
        platform: 'Express',
        handlers: [Watching],
        imports: [KopfHealthModule.forRootAsync({ controller: true, livenessPath: 'alive', ...options })],
      });
      await served.ready();
      const { status, body } = await served.get('/alive');
      expect([status, Object.keys(body.details)]).toEqual([200, ['volumes']]);
    });

    it.each<[string, object, RegExp]>([
      [
        'wrong values',
        { maxEventLoopLag: -1, key: '' },
        /KopfHealthModule are wrong: maxEventLoopLag must be .*; key must be/,
      ],
      [
        'those of the routes',
        { livenessPath: 'x' },
        /KopfHealthModule are wrong: livenessPath must be given beside the factory/,
      ],
    ])('should be checked then: %s', async (_what, options, message) => {
      const harness = await OperatorHarness.start();
      const imports = [KopfHealthModule.forRootAsync({ useFactory: () => options })];
      const starting = ServedOperator.start(harness, { platform: 'Express', handlers: [], imports });
      await expect(starting).rejects.toThrow(message);
    });

    it('should be refused at once if the routes are wrong, or if nothing makes them', () => {
      const options = { controller: 1, useFactory: () => ({}) } as unknown as KopfHealthAsyncOptions;
      expect(() => KopfHealthModule.forRootAsync(options)).toThrow(
        /KopfHealthModule are wrong: controller must be true or false/,
      );
      expect(() => KopfHealthModule.forRootAsync({})).toThrow(/needs one of useFactory, useClass, and useExisting/);
    });
  });
});
