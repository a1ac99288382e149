import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable, Module } from '@nestjs/common';
import type { EmbeddedKube } from 'embedded-kube';
import {
  Daemon,
  KopfModule,
  KopfOperator,
  OnCreate,
  OnDelete,
  OnStartup,
  OnUpdate,
  PermanentError,
  TemporaryError,
  Timer,
  type ChangeContext,
  type DaemonContext,
  type KubeObject,
} from 'nestjs-kopf';
import { kopfMatchers, KopfTest, respondWith, VirtualClock, type EmbeddedServer } from 'nestjs-kopf/testing';
import { customResource } from '../../support/clusters/cluster.user.js';

expect.extend(kopfMatchers);

const map = (name: string, data?: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...(data && { data }),
});

@Injectable()
class Volumes {
  readonly made: string[] = [];

  make(name: string): void {
    this.made.push(name);
  }
}

@Injectable()
class MapOperator {
  constructor(private readonly volumes: Volumes) {}

  @OnCreate('configmaps')
  create({ name, retry, patch, body, info }: ChangeContext) {
    const { bad, failures = '0' } = (body.data ?? {}) as Record<string, string>;
    if (bad) throw new PermanentError('It is bad.');
    if (retry < Number(failures)) throw new TemporaryError('Not yet.', { delay: 3600 });
    this.volumes.make(name);
    info({ reason: 'Made', message: `It took ${retry + 1} attempts.` });
    patch.merge({ data: { attempts: String(retry + 1) } });
  }

  @OnUpdate('configmaps')
  update() {}

  @OnDelete('configmaps')
  remove() {}
}

const providers = [Volumes, MapOperator];

describe('KopfTest', () => {
  it('should wait until an object is handled, however long it takes, and record what happens', async () => {
    await using test = await KopfTest.create({ providers });
    const created = await test.apply(map('a', { failures: '3' }));
    const handled = await test.handled(created);
    expect(handled).toMatchObject({ data: { attempts: '4' } });
    expect(handled).toHaveFinalizer();
    expect(test.clock.monotonic()).toBeGreaterThanOrEqual(3 * 3600_000);
    expect(test.get(Volumes).made).toEqual(['a']);
    expect(test.calls.of(created)).toMatchObject([
      { id: 'create', name: 'a', namespace: 'default', reason: 'create', retry: 0, outcome: 'retried', delay: 3600 },
      { retry: 1, outcome: 'retried' },
      { retry: 2, outcome: 'retried', error: expect.any(TemporaryError) },
      { retry: 3, outcome: 'succeeded' },
      { id: 'update', reason: 'update' },
    ]);
    expect(test.events.of(created)).toHaveEvent({ type: 'Normal', reason: 'Made', message: /4 attempts/ });
    expect(test.patches.of(created)).toBePatchedWith({ data: { attempts: '4' } });
    expect(test.requests.of(created).every(({ status }) => status === 200)).toBe(true);
    expect(test.logs.messages('error')[0]).toContain('Not yet.');
    expect(test.logs.of(created).filter(({ level }) => level === 'error')).toMatchObject(
      [1, 2, 3].map((attempt) => ({ fields: { handler: 'create', attempt, cause: 'create' } })),
    );
    expect(test.logs.of(map('b'))).toEqual([]);
  });

  it('should wait until a deleted object is gone', async () => {
    await using test = await KopfTest.create({ providers, objects: [map('a'), 'null'] });
    const object = await test.handled(map('a'));
    await test.delete(object!);
    expect(await test.handled(object!)).toBeUndefined();
    expect(test.calls.take().map(({ id }) => id)).toContain('remove');
    expect(test.calls.all).toEqual([]);
  });

  it('should name the last error of an object that is not handled in time', async () => {
    await using test = await KopfTest.create({ providers });
    const object = await test.apply(map('a', { failures: '3' }));
    await expect(test.handled(object, { within: 7000 })).rejects.toThrow(
      "ConfigMap 'default/a' was not handled: attempt 2 of 'create' failed (TemporaryError: Not yet.) within 7000 seconds.",
    );
    const secret = await test.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } });
    await expect(test.handled(secret, { within: 60 })).rejects.toThrow(
      /the operator has not seen it \(is there a handler/,
    );
    await test.stop();
    await expect(test.handled(object)).rejects.toThrow('the operator does not run');
  });

  it('should take what has failed for good as handled', async () => {
    await using test = await KopfTest.create({ providers });
    const object = await test.apply(map('a', { bad: 'yes' }));
    await test.handled(object);
    expect(test.calls.of('create')).toMatchObject([{ outcome: 'failed', error: { message: 'It is bad.' } }]);
  });

  it('should apply manifests: objects, texts, lists, files, and folders', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
    try {
      writeFileSync(join(folder, 'crd.yaml'), JSON.stringify(customResource()));
      writeFileSync(join(folder, 'readme.md'), '# nothing');
      const text = 'apiVersion: kopf.dev/v1\nkind: KopfExample\nmetadata: { name: a }\n---\n';
      await using test = await KopfTest.create({ manifests: folder, objects: [text, map('b')], start: false });
      const example = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'a' } };
      expect(await test.read(example)).toMatchObject(example);
      expect(await test.find(map('c'))).toBeUndefined();
      const list = { apiVersion: 'v1', kind: 'List', metadata: {}, items: [map('c'), map('d', { a: 'b' })] };
      expect(await test.apply(list as never)).toMatchObject({ metadata: { name: 'd', namespace: 'default' } });
      writeFileSync(join(folder, 'more.json'), JSON.stringify({ ...map('d'), data: { a: 'c' } }));
      expect(await test.applyFile(join(folder, 'more.json'))).toMatchObject({ data: { a: 'c' } });
      await expect(test.apply('kind: Pod')).rejects.toThrow('A manifest needs apiVersion, kind, and metadata.name.');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('should let a resource be used as soon as its CRD was applied', async () => {
    class Operator {
      @OnCreate('kopfexamples')
      create({ patch }: ChangeContext) {
        patch.status.done = true;
      }
    }
    await using test = await KopfTest.create({ providers: [Operator] });
    await test.apply(customResource());
    const object = await test.apply('{apiVersion: kopf.dev/v1, kind: KopfExample, metadata: {name: a}}');
    expect(await test.handled(object)).toMatchObject({ status: { done: true } });
  });

  it('should take the application with its own KopfModule, and let providers be replaced', async () => {
    const made: string[] = [];
    @Module({ providers, imports: [KopfModule.forRoot({ posting: { enabled: false } })] })
    class AppModule {}
    await using test = await KopfTest.create({
      imports: [AppModule],
      override: (builder) => builder.overrideProvider(Volumes).useValue({ make: (name: string) => made.push(name) }),
    });
    const object = await test.apply(map('a'));
    await test.handled(object);
    expect(made).toEqual(['a']);
    expect(test.get(KopfOperator)).toBe(test.operator);
    expect(test.events.all).toEqual([]);
  });

  it('should let an operator die as by SIGKILL, and go on with another one', async () => {
    let beats = 0;
    const reached: string[] = [];
    class Operator {
      @OnCreate('configmaps')
      first({ patch }: ChangeContext) {
        patch.merge({ data: { first: 'done' } });
      }
      @OnCreate('configmaps')
      async second({ patch }: ChangeContext) {
        if (test.calls.of('second').length === 1) {
          await new Promise<void>((resolve) => (finish = resolve));
          reached.push('end of the dead');
        }
        patch.merge({ data: { second: 'done' } });
      }
      @Timer('configmaps', { interval: 10 })
      beat() {
        beats += 1;
      }
    }
    let finish: () => void;
    await using test = await KopfTest.create({ providers: [Operator] });
    const object = await test.apply(map('a'));
    await test.eventually(() => expect(test.calls.of('second')).toHaveLength(1));
    const before = [beats, test.requests.all.length];
    test.kill();
    finish!();
    await test.advance(600);
    expect(reached).toEqual(['end of the dead']);
    expect([beats, test.requests.all.length]).toEqual(before);
    expect(() => test.module).toThrow('The operator does not run');
    expect((await test.read(object)).data).toEqual({ first: 'done' });
    await test.restart();
    expect((await test.handled(object))!.data).toEqual({ first: 'done', second: 'done' });
    expect(test.calls.ids.filter((id) => id !== 'beat')).toEqual(['first', 'second', 'second']);
    await test.advance(25);
    expect(beats).toBeGreaterThan(before[0] + 1);
  });

  it('should restart a running operator after a shutdown', async () => {
    const seen: string[] = [];
    class Operator {
      @OnStartup()
      start() {
        seen.push('started');
      }
      onApplicationShutdown() {
        seen.push('shut down');
      }
    }
    await using test = await KopfTest.create({ providers: [Operator], start: false });
    expect(seen).toEqual([]);
    await test.start();
    await expect(test.start()).rejects.toThrow('runs already');
    await test.restart();
    await test.stop();
    await test.stop();
    expect(seen).toEqual(['started', 'shut down', 'started', 'shut down']);
    expect(test.calls.all).toMatchObject([
      { id: 'Operator.start/start', retry: 0, outcome: 'succeeded' },
      { id: 'Operator.start/start' },
    ]);
  });

  it('should settle at once, with daemons running and retries to come', async () => {
    class Operator {
      @Daemon('configmaps')
      async watch({ stopped }: DaemonContext) {
        while (!(await stopped.wait(60)));
      }
      @OnCreate('configmaps')
      create({ retry }: ChangeContext) {
        if (retry === 0) throw new TemporaryError('Later.', { delay: 30 });
      }
    }
    await using test = await KopfTest.create({ providers: [Operator] });
    await test.apply(map('a'));
    const before = test.clock.monotonic();
    await test.settled();
    expect(test.clock.monotonic()).toBe(before);
    expect(test.calls.all).toMatchObject([
      { id: 'watch', outcome: 'running' },
      { id: 'create', outcome: 'retried' },
    ]);
    await test.advance(31);
    expect(test.calls.of('create')).toHaveLength(2);
    expect(test.operator.daemons).toBe(1);
  });

  it('should repeat an assertion until it passes, and pass its error on if it never does', async () => {
    await using test = await KopfTest.create({ providers });
    const object = await test.apply(map('a', { failures: '1' }));
    const attempts = await test.eventually(async () => {
      const { data } = await test.client.get<KubeObject & { data: Record<string, string> }>('configmaps', 'a');
      expect(data).toHaveProperty('attempts');
      return data.attempts;
    });
    expect(attempts).toBe('2');
    expect(test.clock.monotonic()).toBeLessThan(3610_000);
    const never = test.eventually(() => expect(test.calls.of(object)).toHaveLength(99), { within: 10 });
    await expect(never).rejects.toThrow('to have a length of 99');
  });

  it('should let the API server fail, on the way and by itself', async () => {
    await using test = await KopfTest.create({ providers });
    const fault = test.kube.faults.reject(500, { verb: 'patch', times: 2 });
    const object = await test.apply(map('a')).catch(() => test.apply(map('a')));
    await test.handled(object);
    expect(fault.hits).toBe(2);
    let refused = 0;
    const end = test.intercept(({ method }) => {
      if (method !== 'PATCH' || refused >= 1) return undefined;
      refused += 1;
      return respondWith(429, { kind: 'Status', code: 429, reason: 'TooManyRequests' }, { 'retry-after': '5' });
    });
    await test.patch(object, { data: { more: 'x' } });
    await test.handled(object);
    end();
    expect(refused).toBe(1);
    expect(test.requests.all.map(({ status }) => status)).toContain(429);
  });

  it('should let the requests of the operator fail by its user agent, and those of the test pass', async () => {
    await using test = await KopfTest.create({ providers });
    const fault = test.kube.faults.reject(500, { userAgent: /^nestjs-kopf/, verb: 'patch' });
    await test.handled(await test.apply(map('a')));
    expect(fault.hits).toBe(1);
    expect(test.kube.faults.unmet).toEqual([]);
  });

  it('should reject what Nest rejects, and leave nothing behind', async () => {
    @Injectable()
    class Broken {
      constructor(readonly missing: Volumes) {}
    }
    await expect(KopfTest.create({ providers: [Broken] })).rejects.toThrow(/dependencies/);
  });

  it('should run in real time, too', async () => {
    await using test = await KopfTest.create({ providers, time: 'real' });
    const object = await test.apply(map('a'));
    expect(await test.handled(object)).toMatchObject({ data: { attempts: '1' } });
    await expect(test.handled(await test.apply(map('b', { failures: '1' })), { within: 0.3 })).rejects.toThrow(
      'Not yet.',
    );
    expect(() => test.virtualClock).toThrow('The test runs in real time.');
  });

  it('should know the API server by a type of its own, as neither package needs the other', () => {
    expectTypeOf<EmbeddedKube>().toExtend<EmbeddedServer>();
  });

  it('should share the virtual clock with the test', async () => {
    await using test = await KopfTest.create({ providers });
    expect(test.virtualClock).toBeInstanceOf(VirtualClock);
    expect(test.clock).toBe(test.virtualClock);
    expect(test.namespace).toBe('default');
  });
});
