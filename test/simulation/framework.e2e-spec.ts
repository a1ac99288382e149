import { Inject, Injectable, Module } from '@nestjs/common';
import { KopfModule, OnCreate, OnUpdate, type ChangeContext } from 'nestjs-kopf';
import {
  simulate,
  type SimulatedState,
  type SimulatedUser,
  type SimulationOptions,
  type SimulationPlan,
  type SimulationProperty,
} from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';
import { AppModule } from '../../apps/ephemeral-volume-claims/src/app.module.js';
import { prepareWorld } from '../../libs/kopf-simulation/src/world/prepared.world.js';
import { SimulationRun } from '../../libs/kopf-simulation/src/run/simulation.run.js';
import type { TimelineEntry } from '../../libs/kopf-simulation/src/run/timeline.js';
import { claim, CLAIMS, Outside } from './regressions/regression.case.js';

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

@Module({ imports: [KopfModule.forRoot()], providers: [ThreeHandlers, Outside] })
class ThreeModule {}

/** The options of a simulation of the three handlers. @param property must hold at all times */
function optionsWith(property: SimulationProperty): SimulationOptions {
  return {
    workload,
    always: [property],
    eventually: [hasNewestSize],
    override: (builder, effects) =>
      builder.overrideProvider(Outside).useValue({
        set: (key: string, value: string) => effects.record('set', key, () => void effects.memory.set(key, value)),
      }),
  };
}

/** Runs a plan once, and tells what has happened in it. */
async function timelineOf(plan: SimulationPlan): Promise<readonly TimelineEntry[]> {
  const world = await prepareWorld(ThreeModule, optionsWith(repeatsNothing));
  const { timeline } = await new SimulationRun(world, plan).execute();
  return timeline.entries;
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
    const report = await simulate(ThreeModule, { ...optionsWith(repeatsTheLastAtMost), plans: crashesAfter(7) });
    expect(report).toHaveNoFindings();
    expect(report.coverage.crashedWrites).toBe(report.coverage.writes);
  });

  // Each second write stores an outcome; a new process could see the object as it was before that.
  const restartsInLags = [
    { afterWrite: 2, fromChange: 2 },
    { afterWrite: 4, fromChange: 3 },
    { afterWrite: 6, fromChange: 5 },
  ].map(({ afterWrite, fromChange }): SimulationPlan => {
    const stale = { kind: 'stale' as const, resource: 'configmaps', fromChange };
    return { seed: 1, faults: [stale, { kind: 'crash', afterWrite }] };
  });

  it('should never go back to an older state after a restart at an API server that is behind', async () => {
    const report = await simulate(ThreeModule, { ...optionsWith(repeatsNothing), plans: restartsInLags });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ stale: restartsInLags.length, crash: restartsInLags.length });
  });

  it.each(restartsInLags)('should be restarted while the API server is behind: %j', async (plan) => {
    const entries = await timelineOf(plan);
    const begin = entries.findIndex(({ type, fault }) => type === 'fault' && fault === 'stale');
    const hidden = entries.findIndex(({ change }) => change !== undefined && change.hiddenFrom.length > 0);
    const crash = entries.findIndex(({ type, fault }) => type === 'fault' && fault === 'crash');
    const restart = entries.findLastIndex(({ type }) => type === 'start');
    const end = entries.findIndex(({ type, fault }) => type === 'recovery' && fault === 'stale');
    const places = [begin, hidden, crash, restart, end];
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });
});
