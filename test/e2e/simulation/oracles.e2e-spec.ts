import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { watch } from 'node:fs';
import { createServer } from 'node:net';
import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import {
  Daemon,
  Index,
  KOPF_CLOCK,
  KopfModule,
  KubeClient,
  OnCleanup,
  OnCreate,
  OnDelete,
  OnStartup,
  TemporaryError,
  Timer,
  type ChangeContext,
  type Clock,
  type DaemonContext,
  type IndexContext,
  type TimerContext,
} from 'nestjs-kopf';
import { SmartProgressStorage, type ProgressStorage } from 'nestjs-kopf/storages';
import { simulate, type SimulatedUser, type SimulationOptions, type SimulationReport } from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';
import { ChangingCause } from '../../../libs/kopf/src/contexts/changing.cause.js';
import { BackgroundHandling } from '../../../libs/kopf/src/handling/background.handling.js';
import { ChangeDetector } from '../../../libs/kopf/src/handling/change.detector.js';
import { FinalizerHandling } from '../../../libs/kopf/src/handling/finalizer.handling.js';
import { ObjectIndexing } from '../../../libs/kopf/src/indexing/object.indexing.js';

expect.extend(kopfMatchers);

const disk = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', labels: { app: 'disk' } },
  data: { size: '1' },
};
const DISKS = { labels: { app: 'disk' } };

/** An operator that keeps all that an operator can keep. */
@Injectable()
class DiskOperator {
  @OnStartup()
  begin(): unknown {
    return undefined;
  }

  @OnCreate('configmaps.v1', DISKS)
  create({ retry }: ChangeContext): void {
    if (retry < 3) throw new TemporaryError('Not yet.', { delay: 5 });
  }

  @OnDelete('configmaps.v1', DISKS)
  release(): void {}

  @Daemon('configmaps.v1', DISKS)
  async monitor({ stopped }: DaemonContext): Promise<void> {
    while (!stopped.isSet) await stopped.wait(10);
  }

  @Timer('configmaps.v1', { ...DISKS, interval: 10 })
  tick(): void {}

  @Index('configmaps.v1', DISKS)
  sizes({ name, body }: IndexContext): Record<string, unknown> {
    return { [name]: (body as unknown as typeof disk).data.size };
  }
}

/** The object is changed while it matches, and then does not match any more. */
const workload = async (kube: SimulatedUser): Promise<void> => {
  await kube.apply(disk);
  await kube.settled();
  await kube.patch(disk, { data: { size: '2' } });
  await kube.settled();
  await kube.patch(disk, { metadata: { labels: { app: 'none' } } });
};

const create = (kube: SimulatedUser): Promise<unknown> => kube.apply(disk);

async function createAndDelete(kube: SimulatedUser): Promise<void> {
  await kube.apply(disk);
  await kube.settled();
  await kube.delete(disk);
}

/** Runs simulations whose findings stay as they are found, as reducing them takes most of the time. */
function run(options: Partial<SimulationOptions> = {}, operator: Type = DiskOperator): Promise<SimulationReport> {
  @Module({ imports: [KopfModule.forRoot(options.kopf)], providers: [operator] })
  class DiskModule {}
  return simulate(DiskModule, { workload, plans: [], shrinking: 0, ...options });
}

async function findWith(
  options: Partial<SimulationOptions>,
  operator: Type = DiskOperator,
): Promise<readonly string[]> {
  const { findings } = await run(options, operator);
  return findings.flatMap(({ check, message, others }) => [
    `${check}: ${message}`,
    ...others.map((other) => `${other.check}: ${other.message}`),
  ]);
}

/** Replaces a step of the framework by one that is wrong. */
function replace(step: unknown, wrong: new (...args: any[]) => object): Partial<SimulationOptions> {
  return { override: (builder) => builder.overrideProvider(step).useClass(wrong) };
}

describe('The checks of simulations', { timeout: 300_000 }, () => {
  it('should find nothing in an operator that keeps what it has to, whatever goes wrong', async () => {
    expect(await run({ plans: { random: 6, seed: 3 } })).toHaveNoFindings();
  });

  it('should find progress that goes back', async () => {
    let isForgotten = false;
    class ForgetfulStorage extends SmartProgressStorage {
      override store(...[key, record, body, patch]: Parameters<ProgressStorage['store']>): void {
        const isDue = !isForgotten && record.retries === 2;
        isForgotten ||= isDue;
        super.store(key, isDue ? { ...record, retries: 0 } : record, body, patch);
      }
    }
    const persistence = { progressStorage: new ForgetfulStorage() };
    @Module({ imports: [KopfModule.forRoot({ persistence })], providers: [DiskOperator] })
    class ForgetfulModule {}
    const { findings } = await simulate(ForgetfulModule, {
      workload,
      plans: [],
      override: () => (isForgotten = false),
    });
    expect(findings[0]?.message).toBe(
      "the progress of 'create' for ConfigMap default/a goes back: it had 1 attempts, and has 0",
    );
  });

  it('should find changes that are not noted as handled', async () => {
    class BlindDetector extends ChangeDetector {
      override detect(...args: Parameters<ChangeDetector['detect']>): ChangingCause {
        const cause = super.detect(...args);
        return cause.reason === 'update' ? new ChangingCause(cause, { ...pick(cause), reason: 'noop' }) : cause;
      }
    }
    const withoutLast = async (kube: SimulatedUser): Promise<void> => {
      await kube.apply(disk);
      await kube.settled();
      await kube.patch(disk, { data: { size: '2' } });
    };
    expect(await findWith({ ...replace(ChangeDetector, BlindDetector), workload: withoutLast })).toEqual([
      'last-handled: ConfigMap default/a differs from the last handled state in data.size',
    ]);
  });

  it('should find objects that were never noted as handled', async () => {
    class DeafDetector extends ChangeDetector {
      override detect(...args: Parameters<ChangeDetector['detect']>): ChangingCause {
        const cause = super.detect(...args);
        return cause.reason === 'create' ? new ChangingCause(cause, { ...pick(cause), reason: 'noop' }) : cause;
      }
    }
    const options = { ...replace(ChangeDetector, DeafDetector), workload: create };
    expect(await findWith(options)).toEqual(['last-handled: ConfigMap default/a was never noted as handled']);
    expect(await findWith({ ...options, oracles: { 'last-handled': false } })).toEqual([]);
  });

  it('should find progress that is kept when nothing is left to do', async () => {
    class KeepingStorage extends SmartProgressStorage {
      override purge(): void {}
    }
    const kopf = { persistence: { progressStorage: new KeepingStorage() } };
    expect(await findWith({ kopf, workload: create })).toContain(
      "progress: ConfigMap default/a keeps progress of 'create' though nothing is left to do",
    );
    expect(await findWith({ kopf, workload: create, oracles: { progress: false } })).toEqual([]);
  });

  it('should find objects that are marked as deleted, and stay', async () => {
    @Injectable()
    class LockingOperator extends DiskOperator {
      constructor(@Inject(KubeClient) private readonly kube: KubeClient) {
        super();
      }

      @OnCreate('configmaps.v1', DISKS)
      async lock(): Promise<void> {
        const metadata = { name: 'lock', namespace: 'default', finalizers: ['example.com/lock'] };
        await this.kube.apply({ apiVersion: 'v1', kind: 'Secret', metadata }, { fieldManager: 'locks' });
      }

      @OnDelete('configmaps.v1', DISKS)
      async unlock(): Promise<void> {
        await this.kube.delete('secrets.v1', 'lock', { namespace: 'default' });
      }
    }
    expect(await findWith({ workload: createAndDelete }, LockingOperator)).toEqual([
      'stuck-deletion: Secret default/lock is not deleted, as of its finalizers example.com/lock',
    ]);
    const oracles = { 'stuck-deletion': false };
    expect(await findWith({ workload: createAndDelete, oracles }, LockingOperator)).toEqual([]);
  });

  it('should say who was called last in an operator that never comes to rest', async () => {
    class CountingOperator {
      private ticks = 0;

      @Timer('configmaps.v1', { ...DISKS, interval: 10 })
      tick({ patch }: TimerContext): void {
        patch.metadata.annotations = { ticks: String((this.ticks += 1)) };
      }
    }
    expect(await findWith({ patience: 60, workload: create }, CountingOperator)).toContain(
      "convergence: the operator does not come to rest, and has called 'tick' for ConfigMap default/a last",
    );
  });

  it('should find finalizers that are left', async () => {
    class KeepingHandling extends FinalizerHandling {
      override adjust(...args: Parameters<FinalizerHandling['adjust']>): boolean {
        const [cycle] = args;
        return cycle.body.metadata.finalizers ? true : super.adjust(...args);
      }
    }
    expect(await findWith(replace(FinalizerHandling, KeepingHandling))).toContain(
      'finalizers: ConfigMap default/a has the finalizer, which no handler needs',
    );
  });

  it('should find finalizers that are missing', async () => {
    class ForgettingHandling extends FinalizerHandling {
      override adjust(): boolean {
        return false;
      }
    }
    const options = { ...replace(FinalizerHandling, ForgettingHandling), workload: create };
    expect(await findWith(options)).toContain(
      'finalizers: ConfigMap default/a lacks the finalizer, which a handler needs',
    );
    expect(await findWith({ ...options, oracles: { finalizers: false } })).toEqual([]);
  });

  it('should find daemons that run for objects that are gone', async () => {
    class DaemonOperator {
      @Daemon('configmaps.v1', DISKS)
      async monitor({ stopped }: DaemonContext): Promise<void> {
        while (!stopped.isSet) await stopped.wait(10);
      }
    }
    class HoldingHandling extends BackgroundHandling {
      override handle(...args: Parameters<BackgroundHandling['handle']>): ReturnType<BackgroundHandling['handle']> {
        const [cycle] = args;
        return cycle.memory.background?.runs.size ? Promise.resolve({ delays: [] }) : super.handle(...args);
      }
    }
    const options = { ...replace(BackgroundHandling, HoldingHandling), workload: createAndDelete };
    expect(await findWith(options, DaemonOperator)).toContain(
      "background: some of 'monitor' still run for objects that do not exist",
    );
    expect(await findWith({ ...options, oracles: { background: false } }, DaemonOperator)).toEqual([]);
  });

  it('should find daemons that run for objects that do not match any more, and those that do not run', async () => {
    class StickyHandling extends BackgroundHandling {
      override handle(...args: Parameters<BackgroundHandling['handle']>): ReturnType<BackgroundHandling['handle']> {
        const [cycle] = args;
        return cycle.memory.background?.runs.size ? Promise.resolve({ delays: [] }) : super.handle(...args);
      }
    }
    expect(await findWith(replace(BackgroundHandling, StickyHandling))).toEqual(
      expect.arrayContaining([
        "background: 'monitor' still runs for ConfigMap default/a, which does not match",
        "background: 'tick' still runs for ConfigMap default/a, which does not match",
      ]),
    );
    class LazyHandling extends BackgroundHandling {
      override handle(): ReturnType<BackgroundHandling['handle']> {
        return Promise.resolve({ delays: [] });
      }
    }
    const created = async (kube: SimulatedUser): Promise<void> => void (await kube.apply(disk));
    expect(await findWith({ ...replace(BackgroundHandling, LazyHandling), workload: created })).toEqual(
      expect.arrayContaining(["background: 'monitor' does not run for ConfigMap default/a, which matches"]),
    );
  });

  it('should find indices that differ from the objects', async () => {
    class FirstIndexing extends ObjectIndexing {
      private readonly seen = new Set<string>();

      override async index(...args: Parameters<ObjectIndexing['index']>): Promise<void> {
        const [, object] = args;
        if (!this.seen.has(object)) await super.index(...args);
        this.seen.add(object);
      }
    }
    expect(await findWith({ ...replace(ObjectIndexing, FirstIndexing), shrinking: 60 })).toEqual([
      'indices: the index \'sizes\' has other values at the key "a": it differs from one that is made of the objects as they are',
    ]);
  });

  it('should find timers and watches that are left', async () => {
    @Injectable()
    class LeakingOperator extends DiskOperator {
      constructor(
        @Inject(KOPF_CLOCK) private readonly clock: Clock,
        @Inject(KubeClient) private readonly kube: KubeClient,
      ) {
        super();
      }

      @OnStartup()
      override begin(): void {
        this.clock.setTimer(() => {}, 1e9);
        void this.follow();
        void this.follow();
      }

      private async follow(): Promise<void> {
        for await (const _ of this.kube.watch('secrets.v1')) continue;
      }
    }
    expect(await findWith({}, LeakingOperator)).toEqual([
      'leaks: at rest, 2 watches are open of /api/v1/secrets?',
      'leaks: of the operator that has stopped are left: 3 timers',
    ]);
    expect(await findWith({ oracles: { leaks: false } }, LeakingOperator)).toEqual([]);
  });

  it.each([
    ['TCPServerWrap', () => createServer().listen(0)],
    ['UDPWrap', () => createSocket('udp4').bind(0)],
    ['FSEventWrap', () => watch(import.meta.dirname)],
    ['ProcessWrap', () => endless(spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1e9)']))],
  ] as const)('should find what is left open outside of the cluster: %s', async (type, open) => {
    const opened: { close(): unknown }[] = [];
    class OpeningOperator extends DiskOperator {
      @OnStartup()
      override begin(): void {
        opened.push(open());
      }
    }
    try {
      expect(await findWith({ workload: create }, OpeningOperator)).toEqual([
        `leaks: what the operator has opened outside of the cluster is left: ${type}`,
      ]);
      expect(await findWith({ workload: create, oracles: { leaks: false } }, OpeningOperator)).toEqual([]);
    } finally {
      for (const each of opened) each.close();
    }
  });

  it('should find requests that have no answer when the operator has stopped', async () => {
    @Injectable()
    class HastyOperator extends DiskOperator {
      constructor(@Inject(KubeClient) private readonly kube: KubeClient) {
        super();
      }

      @OnCleanup()
      end(): void {
        void this.kube.list('secrets.v1').catch(() => {});
      }
    }
    expect(await findWith({ workload: create }, HastyOperator)).toContain(
      'leaks: of the operator that has stopped are left: 1 requests without an answer',
    );
    expect(await findWith({ workload: create, oracles: { leaks: false } }, HastyOperator)).toEqual([]);
  });

  it('should find promises that are rejected without a handler', async () => {
    @Injectable()
    class CarelessOperator extends DiskOperator {
      @OnDelete('configmaps.v1', DISKS)
      override release(): void {
        void Promise.reject(new Error('not handled'));
      }
    }
    const deletion = async (kube: SimulatedUser): Promise<void> => {
      await workload(kube);
      await kube.apply(disk);
      await kube.settled();
      await kube.delete(disk);
    };
    expect(await findWith({ workload: deletion }, CarelessOperator)).toEqual([
      'rejections: a promise is rejected without a handler: Error: not handled',
    ]);
  });

  it('should find more writes of an object in a minute than the options allow', async () => {
    @Injectable()
    class BusyOperator extends DiskOperator {
      private number = 0;

      @Timer('configmaps.v1', { ...DISKS, interval: 10 })
      count({ patch }: TimerContext): void {
        patch.merge({ metadata: { annotations: { 'example.com/count': String((this.number += 1)) } } });
      }
    }
    const minutes = async (kube: SimulatedUser): Promise<void> => {
      await kube.apply(disk);
      await kube.advance(180);
      await kube.delete(disk);
    };
    expect(await findWith({ workload: minutes }, BusyOperator)).toEqual([]);
    // The timer never rests as long as the operator does not see the deletion: it is shown it when its patience is over.
    const stale = [{ seed: 1, faults: [{ kind: 'stale' as const, resource: 'configmaps', fromChange: 30 }] }];
    expect(await findWith({ workload: minutes, plans: stale, patience: 300 }, BusyOperator)).toEqual([]);
    expect(await findWith({ workload: minutes, writesPerMinute: 5 }, BusyOperator)).toContain(
      'hot-loop: the operator writes again and again: /api/v1/namespaces/default/configmaps/a',
    );
  });
});

/** A process that is ended by `close()`, as a server is. */
function endless(child: ChildProcess): { close(): unknown } {
  return { close: () => child.kill('SIGKILL') };
}

function pick({ initial, old, new: after, diff }: ChangingCause) {
  return { initial, old: old as unknown, new: after as unknown, diff };
}
