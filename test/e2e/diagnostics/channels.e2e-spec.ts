import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { Daemon, OnCreate, OnEvent, TemporaryError, type DaemonContext } from 'nestjs-kopf';
import {
  KOPF_CHANNELS,
  OperatorIdentity,
  type CycleMessage,
  type DiagnosticChannel,
  type HandlerMessage,
  type RequestMessage,
  type WorkMessage,
} from 'nestjs-kopf/diagnostics';
import { sleep } from 'kube-common';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

/** Collects copies of the messages of a channel until the test is over. */
function follow<M extends object>(source: DiagnosticChannel<M>): M[] {
  const messages: M[] = [];
  const note = (message: M): void => void messages.push({ ...message });
  source.subscribe(note);
  onTestFinished(() => void source.unsubscribe(note));
  return messages;
}

describe('The diagnostics channels', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  it('should tell of each attempt of a handler, with its object, its reason, and its outcome', async () => {
    class Operator {
      @OnCreate(...KEX, { backoff: 5 })
      async create({ retry }: { retry: number }) {
        await sleep(harness.clock, 2);
        if (retry === 0) throw new TemporaryError('later', { delay: 7 });
      }
    }
    const starts = follow(KOPF_CHANNELS.handlerStart);
    const ends = follow(KOPF_CHANNELS.handlerEnd);
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    const common = {
      operator: harness.get(OperatorIdentity),
      handler: expect.objectContaining({ id: 'create', source: 'Operator.create' }),
      resource: expect.objectContaining({ plural: 'kopfexamples' }),
      body: expect.objectContaining({ metadata: expect.objectContaining({ name: 'a' }) }),
      reason: 'create',
    };
    expect(starts).toEqual([
      { ...common, retry: 0, startedAt: expect.any(Number) },
      { ...common, retry: 1, startedAt: expect.any(Number) },
    ]);
    expect(ends).toEqual([
      expect.objectContaining({ ...common, duration: 2, outcome: expect.objectContaining({ final: false, delay: 7 }) }),
      expect.objectContaining({ ...common, duration: 2, outcome: expect.objectContaining({ final: true }) }),
    ]);
    expect(ends[0].outcome?.error?.message).toBe('later');
    expect(ends[1].outcome?.error).toBeUndefined();
  });

  it('should tell of errors that are ignored, and of daemons as long as they run', async () => {
    class Operator {
      @OnEvent(...KEX)
      event() {
        throw new Error('nobody minds');
      }

      @Daemon(...KEX)
      async daemon({ stopped }: DaemonContext) {
        await stopped.wait();
      }
    }
    const starts = follow(KOPF_CHANNELS.handlerStart);
    const ends = follow(KOPF_CHANNELS.handlerEnd);
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(10);
    const ids = (messages: readonly HandlerMessage[]) => [...new Set(messages.map(({ handler }) => handler.id))].sort();
    expect(ids(starts)).toEqual(['daemon', 'event']);
    expect(ids(ends)).toEqual(['event']);
    expect(ends[0].outcome).toMatchObject({ final: true, ignored: new Error('nobody minds') });
    await harness.delete('a');
    await harness.advance(10);
    expect(ids(ends)).toEqual(['daemon', 'event']);
  });

  it('should tell of cycles, with the work in them apart from the sleep until a handler is due', async () => {
    class Operator {
      @OnCreate(...KEX)
      async create({ retry }: { retry: number }) {
        await sleep(harness.clock, 2);
        if (retry === 0) throw new TemporaryError('later', { delay: 30 });
      }
    }
    const cycles = follow(KOPF_CHANNELS.cycleEnd);
    const queues = follow(KOPF_CHANNELS.queueDone);
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(120);
    const times = cycles.map(({ type, result, work, duration }: CycleMessage) => ({ type, result, work, duration }));
    expect(times.slice(0, 2)).toEqual([
      { type: 'ADDED', result: 'waiting', work: 2, duration: 2 },
      { type: 'MODIFIED', result: 'waiting', work: 0, duration: 30 },
    ]);
    expect(cycles.at(-1)!.result).toBe('done');
    expect(queues.map(({ work = 0 }) => work).reduce((sum, work) => sum + work)).toBe(4);
  });

  it('should tell of requests by method, path, host, and status, and of patches by their outcome', async () => {
    class Operator {
      @OnCreate(...KEX)
      create() {
        return 'done';
      }
    }
    const requests = follow(KOPF_CHANNELS.requestEnd);
    const patches = follow(KOPF_CHANNELS.patchEnd);
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    const [patch] = requests.filter(({ method }) => method === 'PATCH');
    expect(patch).toMatchObject({ host: 'embedded', status: 200, streaming: false, duration: 0 });
    expect(patch.path).toBe('/apis/kopf.dev/v1/namespaces/ns/kopfexamples/a');
    expect(requests.some(({ streaming, path }) => streaming && path.includes('watch=true'))).toBe(true);
    expect(patches).toEqual([expect.objectContaining({ outcome: 'stored', duration: 0 })]);
  });

  it('should let subscribers add headers to requests', async () => {
    const add = ({ headers }: RequestMessage): void => void (headers['x-trace'] = 'abc');
    KOPF_CHANNELS.requestStart.subscribe(add);
    onTestFinished(() => void KOPF_CHANNELS.requestStart.unsubscribe(add));
    const seen = new Set<string | undefined>();
    class Operator {
      @OnEvent(...KEX)
      event() {}
    }
    await harness.run(Operator, { intercept: ({ headers }) => void seen.add(headers['x-trace']) });
    expect([...seen]).toEqual(['abc']);
  });

  it('should do the work in what subscribers put around it, one around the other', async () => {
    const inner = new AsyncLocalStorage<string>();
    const outer = new AsyncLocalStorage<string>();
    for (const storage of [inner, outer]) {
      const surround = (message: WorkMessage): void => {
        const { surround: before = (work) => work() } = message;
        message.surround = (work) => storage.run(`of ${message.startedAt}`, () => before(work));
      };
      KOPF_CHANNELS.handlerStart.subscribe(surround);
      onTestFinished(() => void KOPF_CHANNELS.handlerStart.unsubscribe(surround));
    }
    const seen: unknown[] = [];
    const note = ({ startedAt }: HandlerMessage): void =>
      void seen.push([inner.getStore(), outer.getStore()].map((store) => store === `of ${startedAt}`));
    KOPF_CHANNELS.handlerEnd.subscribe(note);
    onTestFinished(() => void KOPF_CHANNELS.handlerEnd.unsubscribe(note));
    class Operator {
      @OnCreate(...KEX)
      async create() {
        await sleep(harness.clock, 1);
        seen.push([inner.getStore(), outer.getStore()].map((store) => store?.startsWith('of ')));
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(10);
    expect(seen).toEqual([
      [true, true],
      [true, true],
    ]);
    expect([inner.getStore(), outer.getStore()]).toEqual([undefined, undefined]);
  });

  it('should keep what identifies an attempt with the progress, over a restart, without a request more', async () => {
    class Operator {
      @OnCreate(...KEX)
      create({ retry }: { retry: number }) {
        if (retry < 3) throw new TemporaryError('later', { delay: 10 });
      }
    }
    const handle = async (name: string): Promise<void> => {
      await harness.run(Operator);
      await harness.create(name);
      await harness.advance(15);
      await harness.stop();
      await harness.run(Operator);
      await harness.advance(60);
      await harness.stop();
    };
    await handle('without');
    const identify = (message: HandlerMessage): void => {
      seen.push(message.previousTraceparent);
      message.traceparent = `attempt ${message.retry}`;
    };
    const seen: unknown[] = [];
    KOPF_CHANNELS.handlerStart.subscribe(identify);
    onTestFinished(() => void KOPF_CHANNELS.handlerStart.unsubscribe(identify));
    await handle('with');
    expect(seen).toEqual([undefined, 'attempt 0', 'attempt 1', 'attempt 2']);
    expect(harness.patchesOf('with')).toHaveLength(harness.patchesOf('without').length);
    expect(await harness.marks('with')).toEqual(await harness.marks('without'));
  });

  it('should tell of restarts and failures of watches', async () => {
    class Operator {
      @OnEvent(...KEX)
      event() {}
    }
    const watches = follow(KOPF_CHANNELS.watch);
    await harness.run(Operator);
    const examples = { resource: 'kopfexamples.kopf.dev' };
    const fault = harness.kube.faults.reject(500, { verb: ['list', 'watch'], ...examples, times: Infinity });
    harness.kube.faults.damageWatches('cut', examples);
    await harness.advance(60);
    fault.cancel();
    await harness.advance(120);
    const own = watches.filter(({ resource }) => resource.plural === 'kopfexamples').map(({ what }) => what);
    expect(own).toContain('failure');
    expect(own).toContain('restart');
  });

  it('should be those of Node by their names, and have no subscribers of their own', async () => {
    class Operator {
      @OnEvent(...KEX)
      event() {}
    }
    await harness.run(Operator);
    const names = Object.values(KOPF_CHANNELS).map(({ name }) => String(name));
    expect(new Set(names).size).toBe(names.length);
    for (const one of Object.values(KOPF_CHANNELS)) {
      expect(String(one.name)).toMatch(/^nestjs-kopf:[a-z]+(:[a-z]+)?$/);
      expect(channel(one.name)).toBe(one);
      expect(one.hasSubscribers).toBe(false);
    }
  });
});
