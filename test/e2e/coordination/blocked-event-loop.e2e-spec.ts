import { Inject } from '@nestjs/common';
import {
  Daemon,
  KubeClient,
  OnCreate,
  Timer,
  type ChangeContext,
  type DaemonContext,
  type KopfOperator,
  type KubeObject,
  type TimerContext,
} from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { FreezableProcess } from './freezable.process.js';
import { readManifests } from '../../support/clusters/manifests.js';
import { KEX, OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';
import { HandlerLog } from './handler.log.js';

const PEERING = '/apis/kopf.dev/v1/clusterkopfpeerings';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const OBJECTS = /kopfexamples\//;

const MODES = [
  // Three times the renewal deadline of 10 seconds, and the lifetime of 10 seconds.
  { mode: 'lease', block: 30 },
  { mode: 'peering', block: 30 },
] as const;

type Mode = (typeof MODES)[number]['mode'];

let seed = 900;

async function startCluster(): Promise<OperatorHarness> {
  const harness = await OperatorHarness.start();
  for (const manifest of readManifests('peering.yaml')) await harness.send('POST', DEFINITIONS, manifest as object);
  await harness.advance(1);
  const body = { apiVersion: 'kopf.dev/v1', kind: 'ClusterKopfPeering', metadata: { name: 'default' } };
  await harness.send('POST', PEERING, body);
  return harness;
}

function agreeing(coordination: Mode, identity: string, priority: number): OperatorOptions {
  const peering = { identity, priority, lifetime: 10, mandatory: true };
  return { coordination, peering, random: new SeededRandom(seed++) };
}

function wait(harness: OperatorHarness, seconds: number): Promise<void> {
  return new Promise((resolve) => harness.clock.setTimer(resolve, seconds * 1000));
}

function isHandled({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['kopf.zalando.org/last-handled-configuration'] !== undefined;
}

describe.each(MODES)('a handler that blocks the event loop, with coordination by $mode', ({ mode, block }) => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await startCluster();
  });

  /** An operator in which one object's handler blocks, before or after something that it waits for; those of others take two seconds. */
  function handlersOf(calls: string[], pause: number) {
    class Operator {
      @OnCreate(...KEX)
      async create({ name, patch }: ChangeContext) {
        calls.push(name);
        if (name !== 'slow') await wait(harness, 2);
        else if (pause > 0) await wait(harness, pause);
        if (name === 'slow') harness.clock.block(block * 1000);
        patch.status.done = calls.filter((call) => call === name).length;
      }
    }
    return Operator;
  }

  it.each([
    ['at once', 0],
    ['after something that it waits for', 0.5],
  ])('should be called once, and so should others, if it blocks %s', async (_when, pause) => {
    const calls: string[] = [];
    const operator = await harness.run(handlersOf(calls, pause), agreeing(mode, 'one', 1));
    const names = ['a', 'b', 'slow', 'c'];
    for (const name of names) await harness.create(name);
    await harness.advance(120);
    expect(calls.sort()).toEqual(['a', 'b', 'c', 'slow']);
    for (const name of names) expect((await harness.object(name)).status).toMatchObject({ done: 1 });
    expect(operator.state).toBe('running');
    const warnings = harness.logger.messages('warn').filter((line) => line.includes('blocked'));
    expect(warnings).toHaveLength(1);
    const text = pause
      ? "[ns/slow] The event loop was blocked, or the process was stopped, for up to 30.5 seconds (probably by Handler 'create'"
      : "[ns/slow] Handler 'create' has blocked the event loop for 30.0 seconds";
    expect(warnings[0].slice(0, text.length)).toBe(text);
    expect(warnings[0]).toContain('nothing is lost');
    expect(harness.logger.messages('error')).toEqual([]);
  });

  it('should not be called again by another one at the same time, whoever leads afterwards', async () => {
    const log = new HandlerLog(harness.clock);
    const handlers = (who: string) => {
      class Operator {
        @OnCreate(...KEX)
        create(context: ChangeContext) {
          return log.during(who, context, async () => {
            if (context.name === 'slow') harness.clock.block(block * 1000);
            else await wait(harness, 2);
          });
        }
      }
      return Operator;
    };
    await harness.run(handlers('one'), agreeing(mode, 'one', 2));
    await harness.run(handlers('two'), agreeing(mode, 'two', 1));
    const names = ['a', 'b', 'slow', 'c'];
    for (const name of names) await harness.create(name);
    await harness.advance(600);
    for (const name of names) expect(isHandled(await harness.object(name))).toBe(true);
    expect(log.overlaps).toEqual([]);
  });
});

describe.each(MODES.flatMap(({ mode }) => [{ mode, first: 'timers' } as const, { mode, first: 'answers' } as const]))(
  'an operator whose process was stopped, with coordination by $mode, when $first come first',
  ({ mode, first }) => {
    let harness: OperatorHarness;
    let log: HandlerLog;
    let process: FreezableProcess;
    let frozen: KopfOperator;
    let other: KopfOperator;

    beforeEach(async () => {
      harness = await startCluster();
      log = new HandlerLog(harness.clock);
      process = new FreezableProcess(harness.clock);
    });

    /** Starts the one that will be stopped, and the one that will take over. */
    async function start(handlers: (who: string) => any): Promise<void> {
      const transport = process.connect(harness.kube.transport());
      frozen = await harness.run(handlers('one'), {
        ...agreeing(mode, 'one', 2),
        clock: process.clock,
        credentials: { server: 'http://embedded', transport },
      });
      other = await harness.run(handlers('two'), agreeing(mode, 'two', 1));
      await harness.advance(1);
      expect([frozen.state, other.state]).toEqual(['running', 'paused']);
    }

    it('should write nothing of what it did, and begin nothing beside its successor', async () => {
      const handlers = (who: string) => {
        class Operator {
          @OnCreate(...KEX)
          create(context: ChangeContext) {
            return log.during(who, context, async () => {
              await wait(harness, 1);
              context.patch.status[who] = true;
            });
          }
        }
        return Operator;
      };
      await start(handlers);
      // The handlers that are being called when the process is stopped end in no time afterwards.
      for (const name of ['begun-1', 'begun-2']) await harness.create(name);
      await harness.advance(0.5);
      process.freeze();
      log.end('one');
      // This one will be back.
      log.resume('one');
      for (const name of ['new-1', 'new-2']) await harness.create(name);
      await harness.advance(30);
      expect(other.state).toBe('running');
      const names = Array.from({ length: 10 }, (_, index) => `later-${index}`);
      for (const name of names) await harness.create(name);
      const thawed = harness.clock.monotonic();
      await process.thaw(first);
      await harness.advance(0.5);
      for (const name of names) await harness.patch(name, { metadata: { labels: { a: 'b' } } });
      await harness.advance(60);

      expect(log.overlaps).toEqual([]);
      for (const name of ['begun-1', 'begun-2', 'new-1', 'new-2', ...names]) {
        const object = await harness.object(name);
        expect(isHandled(object)).toBe(true);
        expect(Object.keys(object.status).filter((key) => ['one', 'two'].includes(key))).toHaveLength(1);
      }
      const since = process.sent.filter(
        ({ request, at }) => OBJECTS.test(request) && at >= thawed && at < thawed + 400,
      );
      expect(since.filter(({ request }) => !request.startsWith('GET'))).toEqual([]);
      const errors = harness.logger.messages('error');
      expect(errors).toEqual([]);
    });

    it('should call no timers and no daemons before it knows that it may', async () => {
      const calls: { readonly who: string; readonly what: string; readonly at: number }[] = [];
      const handlers = (who: string) => {
        class Operator {
          @Timer(...KEX, { interval: 1 })
          tick() {
            calls.push({ who, what: 'timer', at: harness.clock.monotonic() });
          }

          @Daemon(...KEX, { backoff: 1 })
          run() {
            calls.push({ who, what: 'daemon', at: harness.clock.monotonic() });
            throw new Error('again');
          }
        }
        return Operator;
      };
      await harness.create('a');
      await start(handlers);
      await harness.advance(3);
      expect(calls.length).toBeGreaterThan(4);
      process.freeze();
      await harness.advance(30);
      expect(other.state).toBe('running');
      const thawed = harness.clock.monotonic();
      await process.thaw(first);
      await harness.advance(0.1);
      const early = calls.filter(({ who, at }) => who === 'one' && at >= thawed && at <= thawed + 50);
      expect(early).toEqual([]);
      await harness.advance(20);
      const later = calls.filter(({ at }) => at > thawed + 10_000);
      expect(new Set(later.map(({ who }) => who)).size).toBe(1);
    });

    it('should send nothing that its handlers request with their signals', async () => {
      let open!: () => void;
      const gate = new Promise<void>((resolve) => (open = resolve));
      const begun = new Set<string>();
      let isBefore = true;
      const handlers = (who: string) => {
        class Operator {
          constructor(@Inject(KubeClient) private readonly client: KubeClient) {}

          @OnCreate(...KEX, { when: ({ name }) => name === 'a' })
          create({ signal }: ChangeContext) {
            return this.make('change', signal);
          }

          @OnCreate(...KEX, { when: ({ name }) => name === 'b', timeout: 3600 })
          limited({ signal }: ChangeContext) {
            return this.make('limited', signal);
          }

          @Timer(...KEX, { interval: 1 })
          tick({ signal }: TimerContext) {
            return this.make('timer', signal);
          }

          @Daemon(...KEX)
          run({ signal }: DaemonContext) {
            return this.make('daemon', signal);
          }

          private async make(name: string, signal: AbortSignal): Promise<void> {
            if (who === 'two' || !isBefore) return;
            begun.add(name);
            await gate;
            // The answer comes when the process goes on.
            await this.client.get('namespaces', 'default', { signal });
            const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } };
            await this.client.apply(child, { fieldManager: who, signal });
          }
        }
        return Operator;
      };
      await start(handlers);
      await harness.create('a');
      await harness.create('b');
      await harness.advance(0.5);
      expect(begun).toEqual(new Set(['change', 'limited', 'timer', 'daemon']));
      process.freeze();
      isBefore = false;
      open();
      await harness.advance(30);
      expect(other.state).toBe('running');
      await process.thaw(first);
      await harness.advance(60);
      expect(process.sent.filter(({ request }) => request.includes('/configmaps/'))).toEqual([]);
      expect(harness.logger.messages('error')).toEqual([]);
    });

    it('should not send again what it could not send before', async () => {
      const handlers = (who: string) => {
        class Operator {
          @OnCreate(...KEX)
          create(context: ChangeContext) {
            return log.during(who, context, async () => {
              context.patch.status[who] = true;
            });
          }
        }
        return Operator;
      };
      await start(handlers);
      harness.kube.faults.reject(503, { verb: 'patch', resource: 'kopfexamples.kopf.dev', times: 1 });
      await harness.create('a');
      await harness.advance(0.1);
      process.freeze();
      await harness.advance(30);
      expect((await harness.object('a')).status).toMatchObject({ two: true });
      await process.thaw(first);
      await harness.advance(30);
      expect((await harness.object('a')).status).not.toHaveProperty('one');
    });
  },
);
