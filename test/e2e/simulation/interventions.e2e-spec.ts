import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import {
  adopt,
  ApiNotFoundError,
  KOPF_CLOCK,
  KopfModule,
  KubeClient,
  OnCreate,
  OnDelete,
  type ChangeContext,
  type Clock,
} from 'nestjs-kopf';
import {
  simulate,
  type SimulatedState,
  type SimulatedUser,
  type SimulationFault,
  type SimulationOptions,
  type SimulationReport,
} from 'nestjs-kopf/simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';

expect.extend(kopfMatchers);

const claim = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { app: 'claim' } } };
const CLAIMS = { labels: { app: 'claim' } };
const volumeOf = (name: string, stringData: object = {}) =>
  adopt({ apiVersion: 'v1', kind: 'Secret', metadata: { name: `volume-${name}` }, stringData });

const workload = async (kube: SimulatedUser): Promise<void> => {
  await kube.apply(claim);
  await kube.settled();
};

function simulateWith(operator: Type, options: Partial<SimulationOptions> = {}): Promise<SimulationReport> {
  @Module({ imports: [KopfModule.forRoot()], providers: [operator] })
  class ClaimsModule {}
  return simulate(ClaimsModule, { workload, ...options });
}

/** Makes only faults of a kind count: the plans are those that find nothing else in these operators. */
function onlyOf(kind: SimulationFault['kind'], { findings }: SimulationReport) {
  return findings.filter(({ plan }) => plan.faults.every((fault) => fault.kind === kind));
}

/** Takes its time to create a volume, and does not begin again meanwhile for an object of the same name. */
@Injectable()
class NameOperator {
  private readonly busy = new Set<string>();

  constructor(
    @Inject(KubeClient) private readonly kube: KubeClient,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  @OnCreate('configmaps.v1', CLAIMS)
  async create(context: ChangeContext): Promise<void> {
    const key = this.keyOf(context);
    if (this.busy.has(key)) return;
    this.busy.add(key);
    await this.kube.apply(volumeOf(context.name), { fieldManager: 'volumes' });
    await new Promise<void>((resolve) => void this.clock.setTimer(resolve, 1000));
    this.busy.delete(key);
  }

  protected keyOf({ name }: ChangeContext): string {
    return name;
  }
}

@Injectable()
class IdentityOperator extends NameOperator {
  protected override keyOf({ uid }: ChangeContext): string {
    return uid;
  }
}

/** Creates a volume in one step, and formats it in another one. */
@Injectable()
class FormattingOperator {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', CLAIMS)
  async create({ name }: ChangeContext): Promise<void> {
    await this.kube.apply(volumeOf(name, { size: '1' }), { fieldManager: 'volumes' });
  }

  @OnCreate('configmaps.v1', CLAIMS)
  async format({ name }: ChangeContext): Promise<void> {
    await this.kube.patch('secrets.v1', `volume-${name}`, { stringData: { formatted: 'yes' } });
  }
}

@Injectable()
class PatientOperator extends FormattingOperator {
  @OnCreate('configmaps.v1', CLAIMS)
  override async format(context: ChangeContext): Promise<void> {
    try {
      await super.format(context);
    } catch (error) {
      if (!(error instanceof ApiNotFoundError)) throw error;
      await this.create(context);
      await super.format(context);
    }
  }
}

describe('Objects that others lay hands on in a simulation', () => {
  it('should find an operator that takes an object that was made anew for the old one', async () => {
    const [finding] = onlyOf('recreate', await simulateWith(NameOperator, { stopAfter: 1, shrinking: 5 }));
    expect(`${finding.check}: ${finding.message}`).toBe(
      'final-state: the end differs from that without faults: Secret default/volume-a is missing',
    );
    expect(finding.plan.faults).toEqual([
      { kind: 'recreate', resource: 'configmaps', namespace: 'default', name: 'a', afterChange: expect.any(Number) },
    ]);
  });

  it('should find nothing in one that tells them apart', async () => {
    const report = await simulateWith(IdentityOperator);
    expect(report).toHaveNoFindings();
    expect(report.coverage.points).toMatchObject({ recreate: { tried: 3, total: 3 }, drift: { tried: 1, total: 1 } });
  });

  it('should find an operator that waits for ever for what somebody else has deleted', async () => {
    const [finding] = onlyOf('drift', await simulateWith(FormattingOperator, { patience: 600, shrinking: 5 }));
    expect(finding.check).toBe('convergence');
    expect(finding.plan.faults).toMatchObject([{ kind: 'drift', name: 'volume-a' }]);
  });

  it('should let an operator leave alone, or mend, what somebody else has changed', async () => {
    function hasSize({ list }: SimulatedState) {
      return list<any>('Secret')[0]?.data.size === btoa('1');
    }
    const report = await simulateWith(PatientOperator, { eventually: [hasSize] });
    expect(report).toHaveNoFindings();
    expect(report.coverage.points.drift).toEqual({ tried: 1, total: 1 });
  });

  it('should make an object anew when its finalizers are gone, as the user wants it by then', async () => {
    @Injectable()
    class HoldingOperator {
      @OnDelete('configmaps.v1', CLAIMS)
      release(): void {}
    }
    const report = await simulateWith(HoldingOperator, {
      workload: async (kube) => {
        await kube.apply(claim);
        await kube.settled();
        const before = kube.find(claim)?.metadata.uid;
        await kube.recreate(claim);
        await kube.patch(claim, { data: { size: '2' } });
        await kube.settled();
        expect(kube.find<any>(claim)?.data).toEqual({ size: '2' });
        expect(kube.find(claim)?.metadata.uid).not.toBe(before);
        await kube.delete(claim);
        await kube.recreate(claim);
      },
      plans: [
        {
          seed: 1,
          faults: [{ kind: 'recreate', resource: 'configmaps', namespace: 'default', name: 'a', afterChange: 1 }],
        },
      ],
      oracles: { deterministic: false },
    });
    expect(report).toHaveNoFindings();
  });
});
