import { Controller, Injectable } from '@nestjs/common';
import {
  Daemon,
  Index,
  InjectIndex,
  KopfBootstrapError,
  KopfIndices,
  KopfModule,
  OnCreate,
  OnEvent,
  OnStartup,
  PermanentError,
  TemporaryError,
  Timer,
  UnknownIndexError,
  type ActivityContext,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
  type IndexContext,
  type KubeObject,
  type ReadonlyIndex,
} from 'nestjs-kopf';
import type { IndexOptions } from 'nestjs-kopf/decorators';
import { KEX, OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';
import { failOnUnhandledRejections } from '../../support/runner/unhandled.rejections.js';

type Body = (context: IndexContext) => unknown;

/** A class with one index, which is filled by the given function. */
function indexing(body: Body, options: IndexOptions = {}) {
  class Operator {
    @Index(...KEX, { id: 'idx', ...options })
    index(context: IndexContext) {
      return body(context);
    }
  }
  return Operator;
}

/** Returns the content of an index as plain values: `[key, values][]`, sorted. */
function contentOf(index: ReadonlyIndex): unknown[] {
  const text = (value: unknown): string => JSON.stringify(value) ?? '';
  const sort = (values: unknown[]): unknown[] => values.sort((a, b) => (text(a) < text(b) ? -1 : 1));
  return sort([...index].map(([key, store]) => [key, sort(store.toArray())]));
}

const pod = (name: string, namespace = 'ns', extra: Partial<KubeObject> = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: { containers: [{ name: 'main', image: 'image' }] },
  ...extra,
});

describe('indices', () => {
  let harness: OperatorHarness;

  failOnUnhandledRejections();

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  const idx = (): ReadonlyIndex => harness.get(KopfIndices).get('idx');

  async function run(body: Body, options?: IndexOptions, more?: OperatorOptions): Promise<void> {
    await harness.run(indexing(body, options), more);
  }

  describe('content', () => {
    it('should merge a plain object into the index under its keys', async () => {
      await run(({ spec, name }) => ({ [spec.group]: name }));
      await harness.create('a', { spec: { group: 'one' } });
      await harness.create('b', { spec: { group: 'one' } });
      await harness.create('c', { spec: { group: 'two' } });
      await harness.advance(1);
      expect(contentOf(idx())).toEqual([
        ['one', ['a', 'b']],
        ['two', ['c']],
      ]);
      expect([idx().size, idx().get('one')?.size, idx().has('two'), idx().has('three')]).toEqual([2, 2, true, false]);
    });

    it('should find composite keys by their values', async () => {
      await run(({ namespace, name }) => new Map([[[namespace, name], 'hello']]));
      await harness.create('a');
      await harness.advance(1);
      expect(idx().get(['ns', 'a'])?.toArray()).toEqual(['hello']);
      expect([...idx().keys()]).toEqual([['ns', 'a']]);
      expect(idx().has(['ns', 'b'])).toBe(false);
    });

    it('should merge multiple keys of a single object', async () => {
      await run(({ labels, name }) => new Map(Object.entries(labels).map((label) => [label, name])));
      await harness.create('a', { metadata: { labels: { l1: 'x', l2: 'y' } } });
      await harness.create('b', { metadata: { labels: { l2: 'y' } } });
      await harness.advance(1);
      expect(contentOf(idx())).toEqual([
        [['l1', 'x'], ['a']],
        [
          ['l2', 'y'],
          ['a', 'b'],
        ],
      ]);
    });

    it('should collect everything else under one key', async () => {
      await run(({ name }) => name);
      await harness.create('a');
      await harness.create('b');
      await harness.advance(1);
      expect(contentOf(idx())).toEqual([[null, ['a', 'b']]]);
    });

    it.each<[string, Body, (value: any) => unknown]>([
      ['lists', ({ namespace, name }) => [namespace, name], (value) => value],
      ['sets', () => new Set(['main']), (value: Set<string>) => [...value]],
      ['instances', () => new URL('http://localhost/a'), (value: URL) => value.pathname],
      ['the body', ({ body }) => body, (value: KubeObject) => value.metadata.name],
      ['the spec', ({ spec }) => spec, (value) => value.field],
    ])('should store complex values as they are: %s', async (what, body, read) => {
      await run(body);
      await harness.create('a');
      await harness.advance(1);
      const expected: Record<string, unknown> = {
        lists: ['ns', 'a'],
        sets: ['main'],
        instances: '/a',
        'the body': 'a',
      };
      expect([...idx().get(null)!].map(read)).toEqual([expected[what] ?? 'v1']);
    });

    it('should not nest indices: a second level is a value', async () => {
      await run(() => ({ key2: { key3: 'valueC' } }));
      await harness.create('a');
      await harness.advance(1);
      expect(contentOf(idx())).toEqual([['key2', [{ key3: 'valueC' }]]]);
      expect(idx().get('key2')!.has({ key3: 'valueC' })).toBe(true);
    });

    it('should index null as a value of a key, too', async () => {
      await run(() => ({ key: null }));
      await harness.create('a');
      await harness.create('b');
      await harness.advance(1);
      expect(contentOf(idx())).toEqual([['key', [null, null]]]);
    });

    it('should follow the changes of an object, and keep no empty collections', async () => {
      await run(({ spec, name }) => ({ [spec.field]: name }));
      await harness.create('a', { spec: { field: 'v1' } });
      await harness.create('b', { spec: { field: 'v2' } });
      await harness.advance(1);
      await harness.patch('a', { spec: { field: 'v2' } });
      await harness.advance(1);
      expect(contentOf(idx())).toEqual([['v2', ['a', 'b']]]);
    });

    it('should ignore null and undefined, and preserve the values from before', async () => {
      await run(({ spec }) => (spec.field === 'skip' ? undefined : { key: spec.field }));
      await harness.create('a');
      await harness.advance(1);
      await harness.patch('a', { spec: { field: 'skip' } });
      await harness.advance(1);
      expect(contentOf(idx())).toEqual([['key', ['v1']]]);
    });
  });

  describe('removal', () => {
    it('should remove the values of an object that is deleted', async () => {
      await run(({ name }) => name);
      await harness.create('a');
      await harness.advance(1);
      await harness.delete('a');
      await harness.advance(1);
      expect(idx().size).toBe(0);
    });

    it('should remove the values of an object that stops matching the filters', async () => {
      await run(({ name }) => name, { labels: { on: 'yes' } });
      await harness.create('a', { metadata: { labels: { on: 'yes' } } });
      await harness.create('b');
      await harness.advance(1);
      expect(contentOf(idx())).toEqual([[null, ['a']]]);
      await harness.patch('a', { metadata: { labels: { on: 'no' } } });
      await harness.advance(1);
      expect(idx().size).toBe(0);
    });

    it('should remove the values of objects that were deleted while they were not watched', async () => {
      let isBroken = false;
      const intercept: OperatorOptions['intercept'] = ({ path }) => {
        if (isBroken && path.includes('kopfexamples')) throw new Error('no connection');
        return undefined;
      };
      await run(({ name }) => name, {}, { intercept, watching: { serverTimeout: 5 } });
      await harness.create('a');
      await harness.create('b');
      await harness.advance(1);
      isBroken = true;
      await harness.advance(10);
      await harness.delete('a');
      harness.kube.expireHistory();
      await harness.advance(1);
      expect(contentOf(idx())).toEqual([[null, ['a', 'b']]]);
      isBroken = false;
      await harness.advance(120);
      expect(contentOf(idx())).toEqual([[null, ['b']]]);
    });
  });

  describe('availability', () => {
    it('should be there in all kinds of handlers, and in filters', async () => {
      const seen: Record<string, number> = {};
      const note = (kind: string, { indices }: { indices: ChangeContext['indices'] }): boolean => {
        seen[kind] = indices.idx.size;
        return true;
      };
      class Operator {
        @OnStartup()
        startup(context: ActivityContext) {
          note('startup', context);
        }
        @OnEvent(...KEX)
        event(context: EventContext) {
          note('event', context);
        }
        @OnCreate(...KEX, { when: (context) => note('when', context) })
        create(context: ChangeContext) {
          note('create', context);
        }
        @Daemon(...KEX, { initialDelay: (context) => (note('initialDelay', context), 0) })
        daemon(context: DaemonContext) {
          note('daemon', context);
        }
        @Timer(...KEX)
        timer(context: DaemonContext) {
          note('timer', context);
        }
        @Index(...KEX)
        idx({ name }: IndexContext) {
          return { [name]: name };
        }
      }
      await harness.create('a');
      await harness.run(Operator);
      await harness.advance(1);
      expect(seen).toEqual({ startup: 0, event: 1, when: 1, create: 1, initialDelay: 1, daemon: 1, timer: 1 });
    });

    it("should be injected into the application's own providers and controllers", async () => {
      @Injectable()
      class Service {
        @InjectIndex('idx') readonly property: Index<string, string>;
        readonly seen: string[] = [];

        constructor(@InjectIndex('idx') readonly index: Index<string, string>) {}

        @OnEvent(...KEX)
        event({ name }: EventContext) {
          this.seen.push(...(this.index.get(name) ?? []), ...(this.property.get(name) ?? []));
        }
      }
      @Controller()
      class Pods {
        constructor(
          @InjectIndex('idx') readonly index: Index<string, string>,
          private readonly indices: KopfIndices,
        ) {}

        find(key: string): string[] {
          return this.indices.get<string, string>('idx').get(key)?.toArray() ?? [];
        }
      }
      await harness.create('a');
      const imports = [KopfModule.forFeature({ indices: ['idx'] })];
      await harness.run([Service, Pods, indexing(({ name }) => ({ [name]: name }))], { imports });
      expect(harness.get(Service).index.get('a')?.toArray()).toEqual(['a']);
      expect(harness.get(Service).seen).toEqual(['a', 'a']);
      expect(harness.get(Pods).find('a')).toEqual(['a']);
      expect(harness.get(Pods).index).toBe(harness.get(Service).index);
      expect(() => harness.get(KopfIndices).get('unknown')).toThrow(UnknownIndexError);
    });

    it('should refuse the start if an index is injected that no handler keeps', async () => {
      @Injectable()
      class Service {
        constructor(@InjectIndex('nobodys') readonly index: Index) {}
      }
      const imports = [KopfModule.forFeature({ indices: ['nobodys'] })];
      const starting = harness.run([Service, indexing(({ name }) => name)], { imports });
      await expect(starting).rejects.toThrow(KopfBootstrapError);
      await expect(starting).rejects.toThrow("the index 'nobodys' is injected, but no method has @Index()");
    });
  });

  describe('pre-population', () => {
    const PODS = 30;

    async function populate(options: OperatorOptions): Promise<number[]> {
      const sizes: number[] = [];
      class Operator {
        @Index('v1', 'pods')
        async pods({ name }: IndexContext) {
          // Indexing takes time, so that other handlers could be called before it ends.
          await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 10));
          return { [name]: name };
        }
        @Index(...KEX)
        idx({ name }: IndexContext) {
          return name;
        }
        @OnEvent(...KEX)
        event({ indices }: EventContext) {
          sizes.push(indices.pods.size);
        }
        @OnCreate('v1', 'pods')
        create({ indices }: ChangeContext) {
          sizes.push(indices.pods.size);
        }
      }
      for (let index = 0; index < PODS; index++) {
        await harness.send('POST', '/api/v1/namespaces/ns/pods', pod(`pod${index}`));
      }
      for (const name of ['a', 'b', 'c']) await harness.create(name);
      await harness.run(Operator, options);
      await harness.advance(5);
      return sizes;
    }

    it.each<[string, OperatorOptions]>([
      ['without a limit of workers', {}],
      ['with a limited number of workers', { queueing: { workerLimit: 2 } }],
      ['with one worker', { queueing: { workerLimit: 1 } }],
      ['with lists in pages', { watching: { pageSize: 7 } }],
    ])('should be complete before any other handler is called for any object: %s', async (_what, options) => {
      const sizes = await populate(options);
      expect(sizes.length).toBeGreaterThanOrEqual(PODS + 3);
      expect(Math.min(...sizes)).toBe(PODS);
    });

    it('should not wait for a resource that cannot be listed', async () => {
      const names: string[] = [];
      class Operator {
        @Index('nothings.example.com')
        nothings({ name }: IndexContext) {
          return name;
        }
        @OnEvent(...KEX)
        event({ name }: EventContext) {
          names.push(name);
        }
      }
      await harness.create('a');
      await harness.run(Operator);
      await harness.advance(1);
      expect(names).toEqual(['a']);
    });

    it('should not be held up by indexing that fails, not even by filters', async () => {
      const names: string[] = [];
      class Operator {
        @Index(...KEX, {
          when: () => {
            throw new Error('no filter');
          },
        })
        filtered({ name }: IndexContext) {
          return name;
        }
        @OnEvent('v1', 'pods')
        event({ name }: EventContext) {
          names.push(name);
        }
      }
      await harness.create('a');
      await harness.send('POST', '/api/v1/namespaces/ns/pods', pod('p'));
      await harness.run(Operator);
      await harness.advance(1);
      expect(names).toContain('p');
    });

    it('should let the operator stop while the indices are not complete', async () => {
      class Operator {
        @Index(...KEX)
        idx() {
          return new Promise(() => undefined);
        }
      }
      await harness.create('a');
      await harness.run(Operator, { unready: true });
      await harness.advance(1);
      const began = harness.clock.monotonic();
      await harness.stop();
      expect(harness.clock.monotonic() - began).toBeLessThanOrEqual(5000);
    });
  });

  describe('errors', () => {
    /** Indexes an object whose field decides on the result; returns the attempts. */
    async function runFailing(options: IndexOptions): Promise<number[]> {
      const retries: number[] = [];
      await run(({ spec, retry }) => {
        if (spec.field === 'v1') return 'v1';
        retries.push(retry);
        if (spec.field === 'temporary') throw new TemporaryError('later', { delay: 30 });
        if (spec.field === 'permanent') throw new PermanentError('never');
        if (spec.field === 'error') throw new Error('whatever');
        return spec.field;
      }, options);
      await harness.create('a');
      await harness.advance(1);
      return retries;
    }

    async function set(field: string): Promise<unknown[]> {
      await harness.patch('a', { spec: { field } });
      await harness.advance(1);
      return [...(idx().get(null) ?? [])];
    }

    it('should ignore arbitrary errors by default, and keep the values', async () => {
      const retries = await runFailing({});
      expect(await set('error')).toEqual(['v1']);
      expect(await set('fine')).toEqual(['fine']);
      expect(retries).toEqual([0, 0]);
    });

    it.each<[string, IndexOptions, string]>([
      ['a permanent error', {}, 'permanent'],
      ['an arbitrary error in the permanent mode', { errors: 'permanent' }, 'error'],
    ])('should remove the values and exclude the object for ever after %s', async (_what, options, field) => {
      const retries = await runFailing(options);
      expect(await set(field)).toEqual([]);
      expect(await set('fine')).toEqual([]);
      await harness.advance(3600);
      expect(await set('v1')).toEqual([]);
      expect(retries).toEqual([0]);
    });

    it.each<[string, IndexOptions, string]>([
      ['a temporary error', {}, 'temporary'],
      ['an arbitrary error in the temporary mode', { errors: 'temporary', backoff: 30 }, 'error'],
    ])('should remove the values and exclude the object for the delay after %s', async (_what, options, field) => {
      const retries = await runFailing(options);
      expect(await set(field)).toEqual([]);
      expect(await set('soon')).toEqual([]);
      await harness.advance(30);
      expect(await set('fine')).toEqual(['fine']);
      expect(retries).toEqual([0, 1]);
    });

    it('should exclude the object permanently when the retries are exceeded', async () => {
      const retries = await runFailing({ errors: 'temporary', backoff: 1, retries: 2 });
      expect(await set('error')).toEqual([]);
      await harness.advance(2);
      await harness.patch('a', { spec: { other: 1 } });
      await harness.advance(5);
      expect(await set('fine')).toEqual([]);
      expect(retries).toEqual([0, 1]);
    });
  });

  it('should leave the objects alone: no marks, no patches', async () => {
    await run(({ name }) => name);
    await harness.create('a');
    await harness.advance(10);
    expect(harness.writes).toEqual([]);
  });
});
