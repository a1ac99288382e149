import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import { adopt, ApiError, KopfModule, KubeClient, OnCreate, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import { simulate, type SimulatedUser, type SimulationOptions, type SimulationReport } from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';

expect.extend(kopfMatchers);

const claim = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { app: 'claim' } } };
const CLAIMS = { labels: { app: 'claim' } };
const RECREATED = {
  kind: 'recreate',
  resource: 'configmaps',
  namespace: 'default',
  name: 'a',
  afterChange: 2,
} as const;
const LATE = { kind: 'late-collection', afterChange: 0 } as const;

/** Takes a volume that is there already for its own: that of an object before can be, until it is collected. */
@Injectable()
class CarelessOperator {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', CLAIMS)
  async create({ name }: ChangeContext): Promise<void> {
    const volume = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `volume-${name}` } };
    try {
      await this.kube.create(adopt(volume));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      await this.onExisting(`volume-${name}`);
    }
  }

  protected async onExisting(_name: string): Promise<void> {}
}

/** Waits until a volume of another owner is gone. */
@Injectable()
class CarefulOperator extends CarelessOperator {
  protected override async onExisting(name: string): Promise<void> {
    const { metadata } = await this.kube.get('secrets.v1', name);
    const [owner] = adopt({ metadata: {} }).metadata.ownerReferences!;
    if (metadata.ownerReferences?.some(({ uid }) => uid === owner.uid)) return;
    throw new TemporaryError('It is the volume of another object, which is still to go.', { delay: 1 });
  }
}

const workload = async (kube: SimulatedUser): Promise<void> => {
  await kube.apply(claim);
  await kube.settled();
};

function simulateWith(operator: Type, options: Partial<SimulationOptions> = {}): Promise<SimulationReport> {
  @Module({ imports: [KopfModule.forRoot()], providers: [operator] })
  class ClaimsModule {}
  const plans = [{ seed: 1, faults: [LATE, RECREATED] }];
  return simulate(ClaimsModule, { workload, plans, oracles: { deterministic: false }, ...options });
}

describe('The garbage collector in a simulation', () => {
  it('should leave the children of a recreated object until the operator has adopted them', async () => {
    const report = await simulateWith(CarelessOperator, { shrinking: 0 });
    expect(report.findings.map(({ message }) => message)).toEqual([
      'the end differs from that without faults: Secret default/volume-a is missing',
    ]);
    expect(report.findings[0].timeline.map(({ text }) => text)).toContain(
      'the garbage collector is slow after change 0',
    );
  });

  it('should be waited for by operators that look at the owner of what is there', async () => {
    const report = await simulateWith(CarefulOperator);
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ 'late-collection': 1, recreate: 1 });
  });

  it('should keep an owner that is deleted in the foreground until its dependants are gone', async () => {
    const states: boolean[] = [];
    const report = await simulateWith(CarefulOperator, {
      workload: async (kube) => {
        await kube.apply(claim);
        await kube.settled();
        await kube.delete(claim, { propagationPolicy: 'Foreground' });
        states.push(kube.find(claim)?.metadata.finalizers?.includes('foregroundDeletion') === true);
        await kube.settled();
        expect(kube.find(claim)).toBeUndefined();
      },
      plans: [{ seed: 1, faults: [LATE] }],
    });
    expect(report).toHaveNoFindings();
    // The last run is that with the fault.
    expect(states).toEqual([false, false, false, true]);
  });
});
