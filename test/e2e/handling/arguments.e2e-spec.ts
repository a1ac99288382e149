import {
  Daemon,
  Index,
  OnCleanup,
  OnCreate,
  OnEvent,
  OnStartup,
  OnUpdate,
  TemporaryError,
  type ActivityContext,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
  type IndexContext,
  type ObjectContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

describe('The context of handlers of objects', () => {
  it('should have the object, its parts, and its kind', async () => {
    let seen: Record<string, unknown> = {};
    class Operator {
      @OnCreate(...KEX)
      create({ body, spec, meta, status, name, namespace, uid, labels, annotations, resource }: ChangeContext) {
        seen = { body, spec, meta, status, name, namespace, uid, labels, annotations, resource };
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    const body = await harness.create('a', {
      spec: { field: 'v1' },
      status: { phase: 'x' },
      metadata: { labels: { l: '1' }, annotations: { n: '2' } },
    });
    await harness.advance(1);
    expect(seen).toEqual({
      body,
      spec: { field: 'v1' },
      meta: body.metadata,
      status: { phase: 'x' },
      name: 'a',
      namespace: 'ns',
      uid: body.metadata.uid,
      labels: { l: '1' },
      annotations: { n: '2' },
      resource: expect.objectContaining({
        group: 'kopf.dev',
        version: 'v1',
        plural: 'kopfexamples',
        kind: 'KopfExample',
      }),
    });
  });

  it('should have labels and annotations in the metadata, also of an object without them', async () => {
    const seen: Record<string, unknown> = {};
    const note = (name: string, { labels, annotations }: ObjectContext['meta']): void => {
      seen[name] ??= [labels.any, { ...labels }, Object.keys(annotations).filter((key) => !key.startsWith('kopf.'))];
    };
    class Operator {
      @OnCreate(...KEX, {
        when: ({ meta }) => {
          note('filter', meta);
          return true;
        },
      })
      create({ meta, patch }: ChangeContext) {
        note('create', meta);
        patch.meta.labels.any = 'value';
        delete patch.meta.labels.any;
      }
      @OnEvent(...KEX)
      event({ meta }: EventContext) {
        note('event', meta);
      }
      @Index(...KEX)
      index({ meta }: IndexContext) {
        note('index', meta);
      }
      @Daemon(...KEX)
      async daemon({ meta, stopped }: DaemonContext) {
        note('daemon', meta);
        const { labels } = meta;
        await stopped.wait(10);
        seen.later = [meta.labels.any, labels.any, { ...meta }.labels.any];
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { metadata: { labels: { any: 'value' } } });
    const nothing = [undefined, {}, []];
    expect(seen).toEqual({ filter: nothing, create: nothing, event: nothing, index: nothing, daemon: nothing });
    await harness.advance(20);
    expect(seen.later).toEqual(['value', 'value', 'value']);
  });

  it('should count the attempts, and the time since the first one', async () => {
    const seen: unknown[] = [];
    const harness = await OperatorHarness.start();
    class Operator {
      @OnCreate(...KEX, { param: { any: 'thing' } })
      create({ retry, started, runtime, param }: ChangeContext) {
        seen.push([retry, harness.clock.now() - started.getTime(), Math.round(runtime), param]);
        if (retry < 2) throw new TemporaryError('wait', { delay: 10 });
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(seen).toEqual([
      [0, 0, 0, { any: 'thing' }],
      [1, 10_000, 10, { any: 'thing' }],
      [2, 20_000, 20, { any: 'thing' }],
    ]);
  });

  it('should log with the namespace and the name in front', async () => {
    const error = new Error('text');
    class Operator {
      @OnCreate(...KEX)
      create({ logger }: ChangeContext) {
        logger.debug(() => 'detail');
        logger.log('fact');
        logger.warn('doubt');
        logger.error('trouble', error);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    for (const line of [
      { level: 'debug', message: '[ns/a] detail', error: undefined },
      { level: 'log', message: '[ns/a] fact', error: undefined },
      { level: 'warn', message: '[ns/a] doubt', error: undefined },
      { level: 'error', message: '[ns/a] trouble', error },
    ]) {
      expect(harness.logger.lines).toContainEqual(expect.objectContaining(line));
    }
  });

  it('should have a signal that is not aborted while the operator works', async () => {
    let signal: AbortSignal | undefined;
    class Operator {
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        ({ signal } = context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(signal?.aborted).toBe(false);
    await harness.stop();
    expect(signal?.aborted).toBe(true);
  });

  it('should have the event as it came, for handlers of events', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnEvent(...KEX, { param: 1 })
      spy({ event, type, body, param, retry, runtime }: EventContext) {
        seen.push([event, type, event.object === body, param, retry, runtime]);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    const object = await harness.create('a');
    await harness.advance(1);
    expect(seen).toEqual([[{ type: 'ADDED', object }, 'ADDED', true, 1, 0, 0]]);
  });

  it('should have the differences in the order of the fields of the object', async () => {
    let diff: unknown;
    class Operator {
      @OnCreate(...KEX)
      create() {}
      @OnUpdate(...KEX, { field: 'spec' })
      update(context: ChangeContext) {
        ({ diff } = context);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { z: 1, list: [1, 2], deep: { x: 1, gone: true }, bool: true } });
    await harness.advance(5);
    await harness.patch('a', { spec: { z: 2, list: [2], deep: { y: 2, gone: null }, bool: 1 } });
    await harness.advance(5);
    expect(diff).toEqual([
      ['change', ['bool'], true, 1],
      ['add', ['deep', 'y'], null, 2],
      ['remove', ['deep', 'gone'], true, null],
      ['change', ['list'], [1, 2], [2]],
      ['change', ['z'], 1, 2],
    ]);
  });

  it('should have the object as it was when the event came, whatever happens to it meanwhile', async () => {
    const seen: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      async create({ spec }: ChangeContext) {
        await harness.patch('a', { spec: { field: 'v2' } });
        await harness.clock.settle();
        seen.push(spec.field);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    await harness.advance(1);
    expect(seen[0]).toBe('v1');
  });
});

describe("The context of handlers of the operator's own life", () => {
  it('should have the settings, the memo, and the invocation', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnStartup({ param: 'p' })
      begin({ settings, memo, param, retry, started, runtime, signal, logger, indices }: ActivityContext) {
        settings.execution.defaultBackoff = 7;
        memo.begun = true;
        logger.log('beginning');
        seen.push([param, retry, started.getTime(), runtime, signal.aborted, indices]);
      }
      @OnCreate(...KEX)
      create({ memo }: ChangeContext) {
        if (!memo.failed) {
          memo.failed = true;
          throw new Error('boom');
        }
      }
      @OnCleanup()
      end({ memo }: ActivityContext) {
        seen.push(memo);
      }
    }
    const harness = await OperatorHarness.start();
    const now = harness.clock.now();
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(6);
    expect(await harness.marks('a')).toContain('kopf.zalando.org/create');
    await harness.advance(2);
    expect(await harness.marks('a')).toEqual(['kopf.zalando.org/last-handled-configuration']);
    await harness.stop();
    expect(seen).toEqual([['p', 0, now, 0, false, {}], { begun: true }]);
    expect(harness.logger.messages('log')).toContain('beginning');
  });
});
