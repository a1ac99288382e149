import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import {
  adopt,
  ApiNotFoundError,
  KopfModule,
  KubeClient,
  OnCreate,
  OnDelete,
  OnEvent,
  OnUpdate,
  Validate,
  type ChangeContext,
  type EventContext,
} from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import {
  simulate,
  type SimulatedUser,
  type SimulationFault,
  type SimulationOptions,
  type SimulationReport,
} from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';

expect.extend(kopfMatchers);

const claim = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { app: 'claim' } } };
const CLAIMS = { labels: { app: 'claim' } };

const workload = async (kube: SimulatedUser): Promise<void> => {
  await kube.apply(claim);
  await kube.settled();
};

/** Runs the plans without looking for what differs between two runs of one plan, which other tests do. */
function simulateWith(operator: Type, options: Partial<SimulationOptions>): Promise<SimulationReport> {
  @Module({ imports: options.kopf ? [] : [KopfModule.forRoot()], providers: [operator] })
  class ClaimsModule {}
  return simulate(ClaimsModule, { workload, oracles: { deterministic: false }, ...options });
}

/** Creates a volume in one step, and formats it in another one, for which it is created again if it is not there any more. */
@Injectable()
class VolumeOperator {
  constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', CLAIMS)
  async create({ name }: ChangeContext): Promise<void> {
    const volume = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `volume-${name}` } };
    await this.kube.apply(adopt({ ...volume, stringData: { size: '1' } }), { fieldManager: 'volumes', force: true });
  }

  @OnCreate('configmaps.v1', CLAIMS)
  async format(context: ChangeContext): Promise<void> {
    try {
      await this.mark(context);
    } catch (error) {
      if (!(error instanceof ApiNotFoundError)) throw error;
      await this.create(context);
      await this.mark(context);
    }
  }

  private async mark({ name }: ChangeContext): Promise<void> {
    await this.kube.patch('secrets.v1', `volume-${name}`, { stringData: { formatted: 'yes' } });
  }
}

const OBJECT = { resource: 'configmaps', namespace: 'default', name: 'a' };
const VOLUME = { resource: 'secrets', namespace: 'default', name: 'volume-a' };

describe('Objects that others lay hands on in a simulation', () => {
  it.each<SimulationFault>([
    { kind: 'recreate', ...OBJECT, afterChange: 1 },
    { kind: 'recreate', ...OBJECT, afterChange: 2 },
    { kind: 'drift', ...VOLUME, afterChange: 2 },
    // Nothing brings these back: they are the same when the operator is at rest.
    { kind: 'drift', ...VOLUME, afterChange: 4 },
    { kind: 'drift', ...VOLUME, afterChange: 4, patch: { data: { size: btoa('9') } } },
  ])('should be left alone or repaired, as the operator likes: %j', async (fault) => {
    const report = await simulateWith(VolumeOperator, { plans: [{ seed: 1, faults: [fault] }] });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ [fault.kind]: 1 });
  });

  it('should be compared with no more runs than it takes, and with the same ones for all plans', async () => {
    let runs = 0;
    const fault: SimulationFault = { kind: 'drift', ...VOLUME, afterChange: 4 };
    const report = await simulateWith(VolumeOperator, {
      workload: (kube) => {
        runs += 1;
        return workload(kube);
      },
      plans: [1, 2, 3].map((seed) => ({ seed, faults: [fault] })),
    });
    expect(report).toHaveNoFindings();
    // Two runs without faults, one in which timers are looked for, the plans, and two runs in which the volume is deleted at rest.
    expect(runs).toBe(2 + 1 + 3 + 2);
  });

  it('should be changed by others after they were brought back', async () => {
    const faults: SimulationFault[] = [
      { kind: 'drift', ...VOLUME, afterChange: 2 },
      { kind: 'drift', ...VOLUME, afterChange: 4, patch: { data: { color: btoa('red') } } },
    ];
    const report = await simulateWith(VolumeOperator, { plans: [{ seed: 1, faults }] });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ drift: 2 });
  });

  it('should be those that were there before the user did several things at once', async () => {
    /** Counts the sizes of a claim that it has seen one after another, in an annotation that is not restored. */
    @Injectable()
    class ComparingOperator {
      constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

      @OnEvent('configmaps.v1', CLAIMS)
      async compare({ body }: EventContext): Promise<void> {
        const { size = '1' } = (body.data ?? {}) as { readonly size?: string };
        const { items } = await this.kube.list('secrets.v1', { namespace: 'default' });
        const note = items.find(({ metadata }) => metadata.name === 'note');
        if (note && note.metadata.labels?.size !== size) await this.write('changed', size);
        await this.write('note', size);
      }

      private async write(name: string, size: string): Promise<void> {
        const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default', labels: { size } } };
        await this.kube.apply(object, { fieldManager: 'notes', force: true });
      }
    }
    const faults: SimulationFault[] = [{ kind: 'drift', ...VOLUME, name: 'note', afterChange: 3 }];
    const report = await simulateWith(ComparingOperator, {
      world: { objects: claim },
      workload: async (kube) => {
        await kube.apply({ ...claim, metadata: { name: 'other' } });
        await kube.patch(claim, { data: { size: '2' } });
        await kube.settled();
      },
      plans: [{ seed: 1, faults }],
    });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ drift: 1 });
  });

  it('should stay away if nothing is seen of the changes after which they would be brought back', async () => {
    @Injectable()
    class UpdatingOperator {
      constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

      @OnCreate('configmaps.v1', CLAIMS)
      @OnUpdate('configmaps.v1', { ...CLAIMS, field: 'data.size' })
      async ensure({ body }: ChangeContext): Promise<void> {
        const { size = '1' } = (body.data ?? {}) as { readonly size?: string };
        const volume = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'volume-a', labels: { size } } };
        await this.kube.apply(adopt(volume), { fieldManager: 'volumes', force: true });
      }
    }
    const faults: SimulationFault[] = [
      { kind: 'drift', ...VOLUME, afterChange: 4 },
      { kind: 'missed-events', resource: 'configmaps', fromChange: 4, untilChange: 6 },
    ];
    const report = await simulateWith(UpdatingOperator, {
      workload: async (kube) => {
        await kube.apply({ ...claim, data: { size: '1' } } as never);
        await kube.settled();
        for (const size of ['2', '1']) {
          await kube.patch(claim, { data: { size } });
          await kube.settled();
        }
      },
      plans: [{ seed: 1, faults }],
    });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ drift: 1, 'missed-events': 1 });
  });

  it('should be the objects that were made with a generated name, too', async () => {
    @Injectable()
    class GeneratingOperator {
      constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

      @OnCreate('configmaps.v1', CLAIMS)
      async create(): Promise<void> {
        await this.kube.create(adopt({ apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 'volume-' } }));
      }
    }
    const faults: SimulationFault[] = [{ kind: 'drift', ...VOLUME, name: 'volume-*', afterChange: 2 }];
    const report = await simulateWith(GeneratingOperator, { plans: [{ seed: 1, faults }] });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ drift: 1 });
  });

  it('should be recreated when their finalizers are gone, as the user wants them by then', async () => {
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
      plans: [{ seed: 1, faults: [{ kind: 'recreate', ...OBJECT, afterChange: 1 }] }],
    });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ recreate: 1 });
  });

  it('should be tried again while webhooks cannot be reached', async () => {
    @Injectable()
    class ReviewingOperator {
      @OnCreate('configmaps.v1', CLAIMS)
      create(): void {}

      @Validate('configmaps.v1', CLAIMS)
      check(): void {}
    }
    const report = await simulateWith(ReviewingOperator, {
      kopf: { admission: { managed: 'claims.example.com', server: new WebhookServer() } },
      workload: async (kube) => {
        await workload(kube);
        // The user continues while still trying to recreate the object.
        await kube.patch(claim, { data: { size: '2' } });
        await kube.settled();
        expect(kube.find<any>(claim)?.data).toEqual({ size: '2' });
      },
      plans: [
        {
          seed: 1,
          faults: [
            { kind: 'webhook-down', fromReview: 4, seconds: 20 },
            { kind: 'recreate', ...OBJECT, afterChange: 4 },
          ],
        },
      ],
    });
    expect(report).toHaveNoFindings();
    expect(report.coverage.faults).toEqual({ 'webhook-down': 1, recreate: 1 });
  });
});
