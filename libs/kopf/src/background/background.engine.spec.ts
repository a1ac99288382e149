import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { HandlerExecutor } from '../execution/handler.executor.js';
import { HandlerInvoker } from '../execution/handler.invoker.js';
import type { DaemonContext } from '../contexts/contexts.interface.js';
import type { Resource } from '../resources/resources.js';
import type { BackgroundHandler } from '../registry/handler.js';
import { SpawningCause } from '../contexts/object.causes.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { ResourcePatch } from '../objects/patches.js';
import { SeededRandom, TimerHeap } from 'kube-common';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { BackgroundEngine } from './background.engine.js';
import { BackgroundPatching } from './background.patching.js';
import { ObjectBackground } from './object.background.js';

describe('BackgroundEngine', () => {
  let clock: VirtualClock;
  let engine: BackgroundEngine;
  let background: ObjectBackground;
  let cause: SpawningCause;
  let heap: TimerHeap;
  let settings: KopfSettings;

  beforeEach(() => {
    clock = new VirtualClock();
    heap = new TimerHeap(clock);
    settings = new KopfSettings();
    const executor = new HandlerExecutor(clock, new SeededRandom(1), settings);
    const patching = new BackgroundPatching(null as never, null as never, null as never, clock);
    const sending = { signal: new AbortController().signal, pruned: new Set<string>() };
    const invoker = new HandlerInvoker();
    engine = new BackgroundEngine({
      executor,
      invoker,
      settings,
      heap,
      patching,
      sending,
      events: { post: () => undefined },
      logs: null as never,
    });
    cause = new SpawningCause({
      resource: {} as Resource,
      body: { metadata: { name: 'a' } },
      patch: new ResourcePatch(),
      memory: { memo: {} },
      indices: {},
      logger: new MemoryLogger(),
    });
    background = new ObjectBackground(cause, clock.monotonic());
  });

  const daemon = (invoke: (context: DaemonContext) => unknown, options = {}): BackgroundHandler => ({
    kind: 'daemon',
    id: 'd',
    title: "Daemon 'd'",
    source: 'Operator.d',
    invoke,
    ...options,
  });

  /** Matches, as one cycle of the object does. */
  async function match(handlers: readonly BackgroundHandler[]): Promise<void> {
    await clock.runUntil(engine.match(handlers, cause, background));
    background.releasePatches();
  }

  const sleep = (seconds: number): Promise<void> => new Promise((resolve) => clock.setTimer(resolve, seconds * 1000));

  it('should stop everything when it is paused, and start nothing until it is resumed', async () => {
    let starts = 0;
    const handlers = [daemon(async ({ stopped }) => (starts++, void (await stopped.wait())))];
    await match(handlers);
    await clock.runUntil(engine.pause());
    expect(engine.size).toBe(0);
    await match(handlers);
    expect([engine.size, starts]).toEqual([0, 1]);
    engine.resume();
    await match(handlers);
    expect([engine.size, starts]).toEqual([1, 2]);
  });

  it('should start a daemon again that was still exiting when the operator was resumed', async () => {
    const log: string[] = [];
    const handlers = [
      daemon(async ({ stopped }) => {
        log.push('began');
        await stopped.wait();
        await sleep(30);
        log.push('ended');
      }),
    ];
    await match(handlers);
    await clock.runUntil(engine.pause());
    engine.resume();
    await match(handlers);
    expect(log).toEqual(['began']);
    await clock.advance(31_000);
    expect(log).toEqual(['began', 'ended', 'began']);
  });

  it('should say that the background of an object is in use when a daemon has exited that is to be started again', async () => {
    let exit = (): void => {};
    const exiting = new Promise<void>((resolve) => (exit = resolve));
    await match([daemon(async ({ stopped }) => (await stopped.wait(), exiting))]);
    await clock.runUntil(engine.pause());
    engine.resume();
    await match([daemon(async ({ stopped }) => void (await stopped.wait()))]);
    const without: boolean[] = [];
    exit();
    for (let step = 0; step < 100; step++) {
      await Promise.resolve();
      if (background.runs.size === 0) without.push(background.isInUse);
    }
    expect(new Set(without)).toEqual(new Set([true]));
    expect(background.runs.size).toBe(1);
    await clock.runUntil(engine.release(background));
    expect(background.isInUse).toBe(false);
  });

  it('should not start a daemon again whose object is deleted while it is still exiting from a pause', async () => {
    let starts = 0;
    const handlers = [daemon(async ({ stopped }) => (starts++, await stopped.wait(), sleep(30)))];
    await match(handlers);
    await clock.runUntil(engine.pause());
    engine.resume();
    await match(handlers);
    await clock.runUntil(engine.release(background));
    await clock.advance(31_000);
    expect([engine.size, starts]).toEqual([0, 1]);
  });

  it('should wait for instant exits for some time if the settings say so', async () => {
    settings.background.instantExitTimeout = 3;
    await match([daemon(async ({ stopped }) => (await stopped.wait(), sleep(2)))]);
    const { delays } = await clock.runUntil(engine.release(background));
    expect(delays).toEqual([]);
    expect(clock.monotonic()).toBe(2000);
  });

  it('should say when the daemon is to be looked at again, and when it is settled', async () => {
    const options = { cancellationBackoff: 5, cancellationTimeout: 7 };
    await match([daemon(() => sleep(1000), options)]);
    const first = await clock.runUntil(engine.release(background));
    expect(first.delays).toEqual([5]);
    await clock.runUntil(first.settled!);
    expect(clock.monotonic()).toBe(12_000);
    expect(await engine.release(background)).toEqual({ delays: [] });
  });

  it('should use the polling of the daemon, or of the settings, if there is no timeout', async () => {
    await match([daemon(() => sleep(1000), { cancellationPolling: 9 })]);
    expect((await clock.runUntil(engine.release(background))).delays).toEqual([9]);
  });

  it('should retry after the same time when the clock of the machine is set back meanwhile', async () => {
    const times: number[] = [];
    const now = clock.now.bind(clock);
    const fail = () => {
      times.push(clock.monotonic());
      clock.now = () => now() - 3_600_000 * times.length;
      throw new Error('It fails.');
    };
    const timer = { ...daemon(fail, { backoff: 5 }), kind: 'timer', id: 't', interval: 100 } as BackgroundHandler;
    await match([daemon(fail, { backoff: 5 }), timer]);
    await clock.advance(11_000);
    expect(times).toEqual([0, 0, 5000, 5000, 10_000, 10_000]);
    await clock.runUntil(engine.pause());
  });

  it('should leave no timers behind', async () => {
    await match([daemon(async ({ stopped }) => void (await stopped.wait(3600)))]);
    expect(heap.size).toBe(1);
    await clock.runUntil(engine.exit());
    expect([heap.size, clock.pending, engine.size]).toEqual([0, 0, 0]);
  });
});
