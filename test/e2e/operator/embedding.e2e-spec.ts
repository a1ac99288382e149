import { Controller, Get, Injectable } from '@nestjs/common';
import {
  Index,
  InjectIndex,
  KopfModule,
  KopfOperator,
  OnCreate,
  OnEvent,
  OnProbe,
  OnStartup,
  SystemClock,
  type ChangeContext,
  type EventContext,
  type IndexContext,
  type KopfModuleOptions,
  type ReadonlyIndex,
} from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { startStopwatch } from '../../support/measurement/process.stopwatch.js';
import { PLATFORMS, ServedOperator, type Platform } from '../../support/operators/served.operator.js';

describe('An operator that is embedded', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  describe.each(Object.keys(PLATFORMS) as Platform[])('in an application that is served with %s', (platform) => {
    @Controller('things')
    class Things {
      private readonly seen = new Set<string>();

      constructor(@InjectIndex('idx') private readonly idx: ReadonlyIndex<string, string>) {}

      @OnEvent(...KEX)
      note({ type, name }: EventContext) {
        if (type === 'DELETED') this.seen.delete(name);
        else this.seen.add(name);
      }
      @Index(...KEX, { id: 'idx' })
      index({ name, spec }: IndexContext) {
        return { [spec.field]: name };
      }
      @Get()
      list() {
        return { seen: [...this.seen], indexed: this.idx.get('v1')?.toArray() ?? [] };
      }
    }

    const imports = [KopfModule.forFeature({ indices: ['idx'] })];

    it('should keep the state of the cluster in memory, for the API of the application', async () => {
      const served = await ServedOperator.start(harness, { platform, handlers: [], imports, controllers: [Things] });
      await served.ready();
      await harness.create('a');
      await harness.create('b', { spec: { field: 'v2' } });
      await harness.advance(1);
      expect((await served.get('/things')).body).toEqual({ seen: ['a', 'b'], indexed: ['a'] });
      await harness.delete('a');
      await harness.advance(1);
      expect((await served.get('/things')).body).toEqual({ seen: ['b'], indexed: [] });
    });

    it('should leave the API served when it stops, fails, or was never started', async () => {
      const options: KopfModuleOptions = { enabled: false };
      const served = await ServedOperator.start(harness, {
        platform,
        handlers: [],
        imports,
        controllers: [Things],
        options,
      });
      const { operator } = served;
      expect([operator.state, (await served.get('/things')).status]).toEqual(['idle', 200]);
      await harness.clock.runUntil(operator.start());
      await served.ready();
      await harness.clock.runUntil(operator.stop());
      expect([operator.state, (await served.get('/things')).status]).toEqual(['stopped', 200]);
      harness.kube.faults.reject(401, { times: Infinity });
      await harness.clock.runUntil(operator.start().catch(() => undefined));
      await harness.advance(30);
      expect([operator.state, (await served.get('/things')).status]).toEqual(['failed', 200]);
    });
  });

  it('should be orchestrated by the application: started, awaited, paused, resumed, and stopped when it wants', async () => {
    const seen: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ name }: ChangeContext) {
        seen.push(name);
      }
    }
    const operator = await harness.run(Operator, { enabled: false, unready: true });
    await harness.create('a');
    await harness.advance(10);
    await harness.clock.runUntil(operator.start());
    await harness.clock.runUntil(operator.ready());
    await harness.advance(1);
    expect(seen).toEqual(['a']);
    operator.pause();
    await harness.create('b');
    await harness.advance(10);
    expect(seen).toEqual(['a']);
    operator.resume();
    await harness.advance(1);
    expect(seen).toEqual(['a', 'b']);
    await harness.clock.runUntil(operator.stop());
    await harness.create('c');
    await harness.advance(10);
    expect(seen).toEqual(['a', 'b']);
  });

  it('should find handlers on all providers of the application, and leave the process its signals', async () => {
    const signals = ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection'] as const;
    const countListeners = () => signals.map((name) => process.listenerCount(name));
    const before = countListeners();
    const seen: string[] = [];
    @Injectable()
    class One {
      @OnCreate(...KEX)
      first() {
        seen.push('first');
      }
    }
    @Injectable()
    class Two {
      @OnCreate(...KEX)
      second() {
        seen.push('second');
      }
    }
    await harness.run([One, Two]);
    await harness.create('a');
    await harness.advance(1);
    expect([seen, countListeners()]).toEqual([['first', 'second'], before]);
  });

  it('should handle no more objects at the same time than it is allowed to', async () => {
    let running = 0;
    let most = 0;
    class Operator {
      @OnCreate(...KEX)
      async create() {
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => void harness.clock.setTimer(resolve, 1000));
        running--;
      }
    }
    for (let index = 0; index < 20; index++) await harness.create(`o-${index}`);
    await harness.run(Operator, { queueing: { workerLimit: 3 } });
    await harness.advance(60);
    expect([most, running]).toEqual([3, 0]);
  });

  it('should handle no more objects of one kind at the same time than it is allowed to, and others beside them', async () => {
    const running = { kex: 0, pods: 0 };
    const most = { kex: 0, pods: 0, together: 0 };
    const handle = async (kind: 'kex' | 'pods'): Promise<void> => {
      running[kind]++;
      most[kind] = Math.max(most[kind], running[kind]);
      most.together = Math.max(most.together, running.kex + running.pods);
      await new Promise<void>((resolve) => void harness.clock.setTimer(resolve, 1000));
      running[kind]--;
    };
    class Operator {
      @Index(...KEX)
      idx({ name }: IndexContext) {
        return name;
      }
      @OnCreate(...KEX)
      example() {
        return handle('kex');
      }
      @OnCreate('pods.v1')
      pod() {
        return handle('pods');
      }
    }
    for (let index = 0; index < 10; index++) {
      await harness.create(`o-${index}`);
      const spec = { containers: [{ name: 'main', image: 'image' }] };
      await harness.send('POST', '/api/v1/namespaces/ns/pods', { metadata: { name: `p-${index}` }, spec });
    }
    await harness.run(Operator, { queueing: { workerLimitPerKind: 4, workerLimit: 6 } });
    await harness.advance(60);
    expect([most, running]).toEqual([
      { kex: 4, pods: 4, together: 6 },
      { kex: 0, pods: 0 },
    ]);
  });

  it('should let the application have its turns while very many objects come', async () => {
    const objects = 3000;
    const path = '/apis/kopf.dev/v1/namespaces/ns/kopfexamples';
    for (let index = 0; index < objects; index++) {
      const metadata = { name: `o-${index}`, annotations: { text: 'x'.repeat(2000) } };
      await harness.send('POST', path, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata, spec: { index } });
    }
    let seen = 0;
    class Operator {
      @Index(...KEX)
      idx({ name }: IndexContext) {
        return { [name]: true };
      }
      @OnEvent(...KEX)
      note() {
        seen++;
      }
    }
    const turns: { readonly seconds: number; readonly handled: number }[] = [];
    let seconds = startStopwatch();
    let before = 0;
    const timer = setInterval(() => {
      turns.push({ seconds: seconds(), handled: seen - before });
      seconds = startStopwatch();
      before = seen;
    }, 1);
    onTestFinished(() => clearInterval(timer));
    const operator = await harness.run(Operator, { clock: new SystemClock(), unready: true });
    seconds = startStopwatch();
    turns.length = 0;
    await operator.ready();
    while (before < objects) await new Promise((resolve) => setTimeout(resolve, 1));
    // Not one after all objects, but many turns in between, also when handlers may be called at last, as all objects are indexed.
    expect(turns.length).toBeGreaterThan(objects / 500);
    expect(Math.max(...turns.map(({ handled }) => handled))).toBeLessThan(objects / 6);
    expect(Math.max(...turns.map((turn) => turn.seconds))).toBeLessThan(1);
  });

  it('should not be hurt by handlers that fail in any way, nor the application by them', async () => {
    const failures: unknown[] = [];
    const note = (reason: unknown): void => void failures.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const seen: string[] = [];
    class Operator {
      @OnStartup({ errors: 'ignored' })
      begin() {
        throw new Error('startup');
      }
      @OnProbe()
      probe() {
        return Promise.reject(new Error('probe'));
      }
      @OnEvent(...KEX)
      left() {
        void Promise.resolve().then(() => seen.push('left'));
        return Promise.reject(new Error('event'));
      }
      @OnCreate(...KEX, { errors: 'permanent' })
      broken() {
        return (undefined as any).nothing;
      }
      @OnCreate(...KEX)
      fine() {
        seen.push('fine');
      }
    }
    const operator = await harness.run(Operator);
    await harness.create('a');
    await harness.advance(10);
    expect(seen).toEqual(expect.arrayContaining(['left', 'fine']));
    expect(operator.state).toBe('running');
    expect(harness.get(KopfOperator)).toBe(operator);
    expect(failures).toEqual([]);
  });
});
