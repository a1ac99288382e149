import { Inject, Injectable, Module } from '@nestjs/common';
import { KopfModule, KubeClient, OnCreate, type ChangeContext, type KubeObject } from 'nestjs-kopf';
import { simulate, type SimulatedUser, type SimulationPlan } from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';

expect.extend(kopfMatchers);

const claim = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { app: 'claim' } } };
const CRASH = { kind: 'crash', afterWrite: 1 } as const;
const LATER_CRASH = { kind: 'crash', afterWrite: 100 } as const;
const FOUND = 'surplus: Secret default/volume-* is created twice, and once without faults';

/** Creates a volume, and another one if it is called again. */
@Injectable()
class VolumeOperator {
  constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', { labels: { app: 'claim' } })
  async create({ namespace }: ChangeContext): Promise<void> {
    const metadata = { generateName: 'volume-', namespace } as KubeObject['metadata'];
    await this.kube.create({ apiVersion: 'v1', kind: 'Secret', metadata });
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [VolumeOperator] })
class VolumesModule {}

async function workload(kube: SimulatedUser): Promise<void> {
  await kube.apply(claim);
  await kube.settled();
}

function run(plan: Omit<SimulationPlan, 'seed'>) {
  return simulate(VolumesModule, { workload, plans: [{ seed: 1, ...plan }], oracles: { deterministic: false } });
}

describe('Plans that are kept', () => {
  it('should be out of date when one of their faults does not happen any more', async () => {
    const report = await run({ faults: [LATER_CRASH], found: FOUND });
    expect(report.findings.map(({ check, message, plan }) => [check, message, plan.faults])).toEqual([
      [
        'outdated',
        'the plan is out of date, as a fault of it has not happened: the operator crashes after its write 100',
        [LATER_CRASH],
      ],
    ]);
  });

  it('should be made smaller without those of their faults that are not needed', async () => {
    const { findings } = await run({ faults: [CRASH, LATER_CRASH], found: FOUND });
    expect(findings.map(({ check, message }) => `${check}: ${message}`)).toEqual([FOUND]);
    expect(findings[0].plan).toEqual({ seed: 1, faults: [CRASH] });
  });

  it('should differ from plans that are tried, whose faults need not happen', async () => {
    expect(await run({ faults: [LATER_CRASH] })).toHaveNoFindings();
  });
});
