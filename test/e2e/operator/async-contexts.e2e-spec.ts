import { AsyncLocalStorage } from 'node:async_hooks';
import { EmbeddedKube } from 'embedded-kube';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  Daemon,
  event,
  Index,
  KopfModule,
  KopfOperator,
  KubeClient,
  OnCleanup,
  OnCreate,
  OnEvent,
  OnLogin,
  OnStartup,
  Timer,
  Validate,
  type ChangeContext,
  type DaemonContext,
  type KopfModuleOptions,
} from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { KopfTest } from 'nestjs-kopf/testing';
import { eventually } from '../../support/time/eventually.js';
import { MemoryLogger, SilentLogger } from '../../support/telemetry/memory.logger.js';

/** Two storages, as an application has them of its tracer and of its requests. */
const requests = new AsyncLocalStorage<string>();
const traces = new AsyncLocalStorage<{ readonly id: string }>();

function within<T>(work: () => T): T {
  return requests.run('request', () => traces.run({ id: 'trace' }, work));
}

const CONFIGMAPS = ['configmaps', { labels: { app: 'contexts' } }] as const;

/** Notes for each handler whether it is called within a request or a trace. */
class ContextsOperator {
  readonly calls = new Map<string, number>();
  readonly leaks = new Set<string>();

  @OnStartup()
  startup() {
    this.note('startup');
  }

  @OnCleanup()
  cleanup() {
    this.note('cleanup');
  }

  @Index(...CONFIGMAPS)
  index({ name }: { name: string }) {
    this.note('index');
    return { [name]: name };
  }

  @OnEvent(...CONFIGMAPS)
  event() {
    this.note('event');
  }

  @OnCreate(...CONFIGMAPS)
  async create({ body, subhandler }: ChangeContext) {
    this.note('create');
    event(body, { type: 'Normal', reason: 'Created', message: 'it was created' });
    await Promise.resolve();
    this.note('create, later');
    subhandler('sub', () => this.note('sub'));
  }

  @Daemon(...CONFIGMAPS)
  async daemon({ stopped, signal }: DaemonContext) {
    this.note('daemon');
    signal.addEventListener('abort', () => this.note('abort'));
    await stopped.wait();
    this.note('daemon, stopped');
  }

  @Timer('configmaps', { labels: { app: 'contexts' }, interval: 0.05 })
  timer() {
    this.note('timer');
  }

  count(name: string): number {
    return this.calls.get(name) ?? 0;
  }

  private note(name: string): void {
    this.calls.set(name, this.count(name) + 1);
    const found = [requests.getStore(), traces.getStore()?.id].filter(Boolean);
    if (found.length > 0) this.leaks.add(`${name} in ${found.join(' and ')}`);
  }
}

const configMap = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels: { app: 'contexts' } },
});

describe('The asynchronous context of somebody who happens to begin the work of an operator', () => {
  let kube: EmbeddedKube;

  beforeEach(async () => {
    kube = await EmbeddedKube.start({ logger: new MemoryLogger() });
    onTestFinished(() => kube.stop());
  });

  async function create(options: KopfModuleOptions = {}, providers: any[] = []) {
    @Module({
      imports: [KopfModule.forRoot({ credentials: kube.kubeconfig, namespaces: 'default', ...options })],
      providers: [ContextsOperator, ...providers],
    })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: new SilentLogger() });
    onTestFinished(() => app.close());
    return { app, operator: app.get(KopfOperator), client: app.get(KubeClient), seen: app.get(ContextsOperator) };
  }

  async function work({ client, seen }: Awaited<ReturnType<typeof create>>, name = 'a'): Promise<void> {
    const ticks = seen.count('timer');
    const creations = seen.count('sub');
    await client.create(configMap(name));
    await eventually('the object is handled', () => seen.count('sub') > creations);
    await eventually('the timer ticks', () => seen.count('timer') > ticks + 2);
    await eventually('the daemon runs', () => seen.count('daemon') > 0);
  }

  it('should not reach handlers if the application starts within it', async () => {
    const world = await within(() => create());
    await world.operator.ready();
    await work(world);
    expect([...world.seen.leaks]).toEqual([]);
  });

  it('should not reach handlers if the operator is started within it', async () => {
    const world = await create({ enabled: false });
    await within(() => world.operator.start());
    await world.operator.ready();
    await work(world);
    expect([...world.seen.leaks]).toEqual([]);
  });

  it('should not reach handlers if the operator pauses, goes on, and stops within it', async () => {
    const world = await create();
    const { operator, seen } = world;
    await operator.ready();
    await work(world);
    within(() => operator.pause());
    await eventually('the daemon stops', () => seen.count('daemon, stopped') > 0);
    within(() => operator.resume());
    await eventually('the daemon runs again', () => seen.count('daemon') > 1);
    await work(world, 'b');
    await within(() => operator.stop());
    await within(() => operator.start());
    await operator.ready();
    await work(world, 'c');
    await within(() => operator.drain());
    await operator.stop();
    expect(seen.count('cleanup')).toBe(2);
    expect([...seen.leaks]).toEqual([]);
  });

  it('should not reach handlers, the login included, if the first request is made within it', async () => {
    const logins: unknown[] = [];
    class Login {
      @OnLogin()
      login() {
        logins.push(requests.getStore());
        return kube.kubeconfig;
      }
    }
    const world = await create({ enabled: false, credentials: undefined }, [Login]);
    await within(() => world.client.list('configmaps', { namespace: 'default' }));
    await world.operator.start();
    await world.operator.ready();
    await work(world);
    expect(logins).toEqual([undefined]);
    expect([...world.seen.leaks]).toEqual([]);
  });

  it('should stay that of a caller who watches by himself', async () => {
    const { client } = await create({ enabled: false });
    const found: unknown[] = [];
    await client.create(configMap('a'));
    await within(async () => {
      for await (const { object } of client.watch('configmaps', { namespace: 'default' } as never)) {
        found.push([object.metadata.name, requests.getStore(), traces.getStore()?.id]);
        if (object.metadata.name === 'b') break;
        if (object.metadata.name === 'a') await client.create(configMap('b'));
      }
    });
    expect(found).toContainEqual(['a', 'request', 'trace']);
    expect(found).toContainEqual(['b', 'request', 'trace']);
  });

  it('should not outlast a handler that enters a storage', async () => {
    class Entering {
      @OnEvent(...CONFIGMAPS)
      enter() {
        requests.enterWith('entered by an event handler');
      }

      @Timer('configmaps', { labels: { app: 'contexts' }, interval: 0.05 })
      tick() {
        requests.enterWith('entered by a timer');
      }

      @OnCreate(...CONFIGMAPS)
      async begin() {
        traces.enterWith({ id: 'entered by a creation' });
        await Promise.resolve();
        traces.enterWith({ id: 'entered by a creation' });
      }
    }
    const world = await create({}, [Entering]);
    await world.operator.ready();
    await work(world);
    await work(world, 'b');
    expect([...world.seen.leaks]).toEqual([]);
  });

  it('should not reach reviews of objects that are written within it', async () => {
    const stores: unknown[] = [];
    class Reviewing {
      @Validate('configmaps')
      review() {
        stores.push(requests.getStore());
      }
    }
    const admission = { managed: 'contexts.example.com', server: new WebhookServer() };
    await using test = await KopfTest.create({ kopf: { admission }, providers: [Reviewing] });
    await within(() => test.apply(configMap('a')));
    expect(stores).toEqual([undefined]);
  });

  it('should not reach controllers of an API server that is started, or written to, within it', async () => {
    const stores: unknown[] = [];
    const controller = {
      start({ client }: any) {
        stores.push(requests.getStore());
        client.watch({ group: '', plural: 'configmaps' }, () => undefined);
      },
      stop() {},
    };
    const server = await within(() => EmbeddedKube.start({ port: false, controllers: [controller as never] }));
    onTestFinished(() => server.stop());
    expect(stores).toEqual([undefined]);
  });
});
