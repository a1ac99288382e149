import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Test } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import {
  KopfModule,
  KopfOperator,
  OnCreate,
  OnDelete,
  OnUpdate,
  PermanentError,
  TemporaryError,
  type ChangeContext,
  type KubeObject,
} from 'nestjs-kopf';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { ClusterUser, customResource, DEFINITIONS } from '../support/clusters/cluster.user.js';
import { SilentLogger } from '../support/telemetry/memory.logger.js';
import { WatcherSet } from '../../libs/kopf/src/watching/watcher.set.js';
import { isHandled } from '../support/operators/stored.progress.js';
import { RandomChoices } from '../support/generators/random.choices.js';
import { byForm } from '../support/runner/test.form.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const EXAMPLES = { group: 'kopf.dev', plural: 'kopfexamples' };
const EXAMPLE = ['kopf.dev', 'v1', 'kopfexamples'] as const;
const COUNT = Number(process.env.OBJECTS ?? byForm({ short: 700, long: 5000 }));
const SEED = Number(process.env.SEED ?? 1);
const MEGABYTE = 2 ** 20;

const choices = new RandomChoices(new SeededRandom(SEED));
const outcomes = { success: 0, temporary: 0, arbitrary: 0, permanent: 0 };

/** Fails and succeeds at random. */
function act(): { number: number } {
  if (choices.withProbability(0.3)) {
    outcomes.temporary++;
    throw new TemporaryError('not yet', { delay: choices.between(0, 3600) });
  }
  if (choices.withProbability(0.1)) {
    outcomes.arbitrary++;
    throw new Error('something went wrong');
  }
  if (choices.withProbability(0.02)) {
    outcomes.permanent++;
    throw new PermanentError('never');
  }
  return { number: ++outcomes.success };
}

class SoakOperator {
  @OnCreate(...EXAMPLE, { id: 'create_first', retries: 8 })
  createFirst() {
    return act();
  }

  @OnCreate(...EXAMPLE, { id: 'create_second', timeout: 36_000 })
  createSecond(context: ChangeContext): void {
    context.memo.created = true;
    context.subhandler('child', () => act());
  }

  @OnUpdate(...EXAMPLE, { id: 'update' })
  update() {
    return act();
  }

  @OnDelete(...EXAMPLE, { id: 'delete' })
  delete() {
    return act();
  }
}

/** The memory that is in use, without what nobody refers to any longer. */
async function usedMemory(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What is freed by finalizers and weak references needs another turn.
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

describe(`${COUNT} objects whose handlers fail, retry, and succeed at random`, () => {
  const clock = new VirtualClock();
  const names = Array.from({ length: COUNT }, (_, index) => `object-${index}`);
  let kube: EmbeddedKube;
  let cluster: ClusterUser;
  let operator: KopfOperator;
  let watchers: WatcherSet;
  let close: () => Promise<void>;
  let idleTimers: number;
  let memoryBefore: number;

  const list = (): readonly KubeObject[] => kube.client.list(EXAMPLES, 'default') as readonly KubeObject[];

  /** Counts the objects that are being processed, or wait for it. */
  function countWorkers(): number {
    const { watchers: started } = watchers as unknown as { watchers: Map<string, { queues: { active: number } }> };
    return [...started.values()].reduce((sum, { queues }) => sum + queues.active, 0);
  }

  async function create(some: readonly string[]): Promise<void> {
    for (const name of some) {
      const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, spec: { value: 1 } };
      await cluster.create(OBJECTS, body);
    }
  }

  async function remove(some: readonly string[]): Promise<void> {
    for (const name of some) await cluster.delete(`${OBJECTS}/${name}`);
  }

  /** Lets time pass until the condition is met; handlers may need days. */
  async function until(condition: () => boolean): Promise<void> {
    for (let hour = 0; hour < 24 * 14 && !condition(); hour++) await clock.advance(3_600_000);
    expect(condition()).toBe(true);
    // The watches tell the newest version now and then; that is all that is left to wait for.
    await clock.advance(60_000);
  }

  beforeAll(async () => {
    // Without much history, as it is not the operator's memory that is in it.
    kube = await EmbeddedKube.start({ clock, random: new SeededRandom(SEED), port: false, historySize: 10 });
    cluster = new ClusterUser(kube.transport());
    await cluster.create(DEFINITIONS, customResource({ statusSubresource: true }));
    await clock.advance(1000);
    const module = await Test.createTestingModule({
      imports: [
        KopfModule.forRoot({
          clock,
          random: new SeededRandom(SEED),
          credentials: { server: 'http://embedded', transport: kube.transport() },
        }),
      ],
      providers: [SoakOperator],
    })
      .setLogger(new SilentLogger())
      .compile();
    await module.init();
    operator = module.get(KopfOperator);
    watchers = module.get(WatcherSet);
    close = () => module.close();
    await clock.runUntil(operator.ready());

    // The code is warm, and what is made once is made, before anything is measured.
    const first = names.slice(0, 300);
    await create(first);
    await until(() => list().every(isHandled));
    await remove(first);
    await until(() => list().length === 0);
    idleTimers = clock.pending;
    memoryBefore = await usedMemory();
  });

  afterAll(async () => {
    const closing = close();
    await clock.advance(10_000);
    await closing;
    const stopping = kube.stop();
    await clock.advance(10_000);
    await stopping;
  });

  it('should all be handled in the end', { timeout: 240_000 }, async () => {
    await create(names);
    await clock.settle();
    expect(countWorkers()).toBeGreaterThan(0);
    await until(() => list().every(isHandled));
    expect(list()).toHaveLength(COUNT);
    expect(operator.objects).toBe(COUNT);
    expect(outcomes.success).toBeGreaterThan(COUNT);
    expect(outcomes.temporary).toBeGreaterThan(COUNT / 2);
    expect(outcomes.arbitrary).toBeGreaterThan(COUNT / 10);
    expect(outcomes.permanent).toBeGreaterThan(COUNT / 100);
  });

  it('should need no workers, no timers, and not much memory when nothing is left to do', async () => {
    expect(countWorkers()).toBe(0);
    expect(clock.pending).toBe(idleTimers);
    // The cluster with its objects is in this memory, too.
    const perObject = ((await usedMemory()) - memoryBefore) / COUNT;
    expect(perObject).toBeLessThan(8 * 1024);
  });

  it('should all be handled after a change', { timeout: 240_000 }, async () => {
    for (const name of names) await cluster.patch(`${OBJECTS}/${name}`, { spec: { value: 2 } });
    await until(() => list().every(isHandled));
    expect(list().every(({ spec }) => spec.value === 2)).toBe(true);
    expect(clock.pending).toBe(idleTimers);
  });

  it('should all go', { timeout: 240_000 }, async () => {
    await remove(names);
    await until(() => list().length === 0);
    expect(operator.objects).toBe(0);
  });

  it('should leave no workers, no timers, and no memory in use', async () => {
    expect(countWorkers()).toBe(0);
    expect(clock.pending).toBe(idleTimers);
    expect(((await usedMemory()) - memoryBefore) / MEGABYTE).toBeLessThan(4);
  });

  it('should leave nothing that has to be waited for when the operator stops', async () => {
    const began = clock.monotonic();
    await operator.stop();
    expect(clock.monotonic()).toBe(began);
  });
});
