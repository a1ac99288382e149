import { Inject, Injectable, Module } from '@nestjs/common';
import { KopfModule, OnCreate, OnUpdate, type ChangeContext, type KopfModuleOptions } from 'nestjs-kopf';
import {
  simulate,
  type SimulatedState,
  type SimulatedUser,
  type SimulationOptions,
  type SimulationPlan,
} from 'nestjs-kopf/simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';
import { AppModule } from '../../apps/ephemeral-volume-claims/src/app.module.js';
import { claim, CLAIMS, Outside } from './museum/exhibit.js';

expect.extend(kopfMatchers);

/** Three handlers, each of which does something outside of the cluster. */
@Injectable()
class ThreeHandlers {
  constructor(@Inject(Outside) private readonly outside: Outside) {}

  @OnCreate('configmaps.v1', CLAIMS)
  first({ name }: ChangeContext) {
    return this.outside.set(`${name} first`, '');
  }

  @OnCreate('configmaps.v1', CLAIMS)
  second({ name }: ChangeContext) {
    return this.outside.set(`${name} second`, '');
  }

  @OnUpdate('configmaps.v1', CLAIMS)
  async resize({ name, body }: ChangeContext) {
    await this.outside.set(`${name} size`, (body as unknown as typeof claim).data.size);
  }
}

const workload = async (kube: SimulatedUser): Promise<void> => {
  await kube.apply(claim);
  await kube.settled();
  await kube.patch(claim, { data: { size: '2' } });
  await kube.settled();
};

/** The effects in the order in which they must come, of which a crash may repeat the last one. */
function repeatsTheLastAtMost({ effects }: SimulatedState) {
  const keys = effects.all.map(({ key }) => key);
  const repeated = keys.filter((key, index) => keys.indexOf(key) < index);
  const isLast = keys.every((key, index) => keys.indexOf(key) === index || keys[index - 1] === key);
  return (repeated.length <= 1 && isLast) || keys.join();
}

/** Nothing is repeated where the process crashes after it has stored the outcome of a handler. */
function repeatsNothing({ effects }: SimulatedState) {
  const keys = effects.all.map(({ key }) => key);
  return new Set(keys).size === keys.length || keys.join();
}

function hasNewestSize({ effects }: SimulatedState) {
  return effects.memory.get('a size') === '2' || String(effects.memory.get('a size'));
}

function run(
  kopf: KopfModuleOptions,
  plans: readonly SimulationPlan[],
  { replicas = 1, always = [repeatsTheLastAtMost] }: Pick<SimulationOptions, 'replicas' | 'always'> = {},
) {
  @Module({ imports: [KopfModule.forRoot(kopf)], providers: [ThreeHandlers, Outside] })
  class ThreeModule {}
  return simulate(ThreeModule, {
    workload,
    plans,
    replicas,
    always,
    eventually: [hasNewestSize],
    override: (builder, effects) =>
      builder.overrideProvider(Outside).useValue({
        set: (key: string, value: string) => effects.record('set', key, () => void effects.memory.set(key, value)),
      }),
  });
}

function crashesAfter(writes: number): readonly SimulationPlan[] {
  return Array.from({ length: writes }, (_, index) => ({
    seed: 1,
    faults: [{ kind: 'crash' as const, afterWrite: index + 1 }],
  }));
}

describe('The framework under simulation', { timeout: 300_000 }, () => {
  it('should let the operator of the tutorial survive whatever goes wrong', async () => {
    const volumes = {
      apiVersion: 'kopf.dev/v1',
      kind: 'EphemeralVolumeClaim',
      metadata: { name: 'a', labels: { team: 'blue' } },
      spec: { size: '1Gi' },
    };
    const report = await simulate(AppModule.register(), {
      world: { manifests: 'k8s/ephemeral-volume-claims/crd.yaml' },
      workload: async (kube) => {
        await kube.apply(volumes);
        await kube.settled();
        await kube.patch(volumes, { metadata: { labels: { team: 'red' } } });
        await kube.settled();
        await kube.delete(volumes);
      },
      limit: 30,
    });
    expect(report).toHaveNoFindings();
    expect(report.plans).toBe(30);
  });

  it('should repeat at most the handler in progress after a SIGKILL', async () => {
    const report = await run({}, crashesAfter(7));
    expect(report).toHaveNoFindings();
    expect(report.coverage.crashedWrites).toBe(report.coverage.writes);
  });

  it('should never go back to an older state after a restart at an API server that is behind', async () => {
    // Each second write stores an outcome; a new process could see the object as it was before that.
    const plans = [2, 4, 6].flatMap((afterWrite) =>
      [1, 2, 3, 4, 5].map((fromChange) => ({
        seed: 1,
        faults: [
          { kind: 'stale' as const, resource: 'configmaps', fromChange },
          { kind: 'crash' as const, afterWrite },
        ],
      })),
    );
    expect(await run({}, plans, { always: [repeatsNothing] })).toHaveNoFindings();
  });

  it('should never have two replicas under a Lease handle one object', async () => {
    const kopf: KopfModuleOptions = { coordination: 'lease', lease: { name: 'three', namespace: 'default' } };
    const report = await run(kopf, crashesAfter(10), { replicas: 2 });
    expect(report).toHaveNoFindings();
    expect(report.coverage.crashedWrites).toBeGreaterThan(5);
  });
});
