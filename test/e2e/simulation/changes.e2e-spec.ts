import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import {
  adopt,
  KopfModule,
  KubeClient,
  OnCreate,
  OnEvent,
  OnUpdate,
  PermanentError,
  type ChangeContext,
  type EventContext,
} from 'nestjs-kopf';
import { simulate, type SimulatedState, type SimulationOptions, type SimulationReport } from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';

expect.extend(kopfMatchers);

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'disks.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'disks', singular: 'disk', kind: 'Disk' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 0, maximum: 20 },
                  note: { type: 'string' },
                  zones: { type: 'array', items: { type: 'string', enum: ['north', 'south', 'west'] } },
                },
                'x-kubernetes-validations': [{ rule: 'self.size != 13', message: 'not that size' }],
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

const disk = {
  apiVersion: 'example.com/v1',
  kind: 'Disk',
  metadata: { name: 'a' },
  spec: { size: 10, zones: ['north', 'south'] },
};

/** Creates a Secret for each zone, with the size of the disk. */
@Injectable()
class CarefulOperator {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @OnCreate('disks.example.com')
  @OnUpdate('disks.example.com')
  async ensure({ name, namespace, spec }: ChangeContext<typeof disk.spec>) {
    if (spec.size > 15) throw new PermanentError(`There is no disk of ${spec.size}.`);
    const zones = new Set(spec.zones);
    for (const zone of zones) {
      const copy = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-${zone}` } };
      await this.kube.apply(adopt({ ...copy, stringData: { size: String(spec.size) } } as never), {
        fieldManager: 'disks',
        force: true,
      });
    }
    await this.remove(
      ['north', 'south', 'west'].filter((zone) => !zones.has(zone)).map((zone) => `${name}-${zone}`),
      namespace!,
    );
    return { zones: [...zones] };
  }

  protected async remove(names: readonly string[], namespace: string) {
    for (const name of names) {
      await this.kube.delete('secrets.v1', name, { namespace }).catch((error: { status?: number }) => {
        if (error.status !== 404) throw error;
      });
    }
  }
}

/** Forgets the copies in zones that the disk has no longer. */
@Injectable()
class ForgetfulOperator extends CarefulOperator {
  protected override async remove() {}
}

/** Cannot go on after a size that it does not have: it notes the failure, and never looks again. */
@Injectable()
class OffendedOperator extends CarefulOperator {
  @OnCreate('disks.example.com')
  @OnUpdate('disks.example.com')
  override async ensure(context: ChangeContext<typeof disk.spec>) {
    const { spec, status, patch } = context;
    if (spec.size > 15) patch.merge({ status: { phase: 'Failed' } });
    if (status.phase !== 'Failed') return super.ensure(context);
    return { zones: [] };
  }
}

/** Tries again and again to bring about a size that it does not have. */
@Injectable()
class StubbornOperator extends CarefulOperator {
  @OnCreate('disks.example.com')
  @OnUpdate('disks.example.com')
  override async ensure(context: ChangeContext<typeof disk.spec>) {
    if (context.spec.size > 15) throw new Error(`There is no disk of ${context.spec.size} yet.`);
    return super.ensure(context);
  }
}

/** Changes a note on a disk of a size that it does not have, each time it sees the disk. Each of its handlers succeeds. */
@Injectable()
class RestlessOperator extends CarefulOperator {
  @OnEvent('disks.example.com')
  watch({ spec, status, patch }: EventContext<typeof disk.spec, { turn?: number }>) {
    if (spec?.size && spec.size > 15) patch.merge({ status: { turn: 1 - (status.turn ?? 0) } });
  }
}

/** Begins with a copy that the API server rejects for sizes that the disk does not have. */
@Injectable()
class RejectedOperator extends CarefulOperator {
  @OnCreate('disks.example.com')
  @OnUpdate('disks.example.com')
  override async ensure(context: ChangeContext<typeof disk.spec>) {
    if (context.spec.size > 15) {
      const copy = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'Not a Name!' } };
      await this.kube.apply(adopt(copy as never), { fieldManager: 'disks', force: true });
    }
    return super.ensure(context);
  }
}

function run(
  operator: Type,
  changes: Partial<SimulationOptions['changes']> = {},
  eventually: SimulationOptions['eventually'] = [],
): Promise<SimulationReport> {
  @Module({ imports: [KopfModule.forRoot()], providers: [operator] })
  class DiskModule {}
  return simulate(DiskModule, {
    world: { objects: [definition as never] },
    changes: { object: disk, runs: 24, ...changes },
    eventually,
    plans: [],
    stopAfter: 1,
  });
}

describe('simulate with changes', { timeout: 300_000 }, () => {
  it('should find nothing in an operator that looks at nothing but what is wanted', async () => {
    const report = await run(CarefulOperator);
    expect(report).toHaveNoFindings();
    expect(report.plans).toBeGreaterThan(15);
  });

  it('should find what is left of an earlier state', async () => {
    const { findings } = await run(ForgetfulOperator, { fields: ['spec.zones'] });
    expect(findings[0]?.check).toBe('changes');
    expect(findings[0]?.message).toMatch(/Secret default\/a-(north|south|west) is there, but should not be/);
    expect(findings[0]?.plan.states).toHaveLength(2);
  });

  it('should find a bad change that the operator does not recover from', async () => {
    const report = await run(OffendedOperator, { fields: ['spec.size'] });
    const [finding] = report.findings;
    expect(finding?.message).toMatch(/Secret default\/a-north is missing/);
    const sizes = finding!.plan.states!.map((state) => (state as unknown as typeof disk).spec.size);
    expect(sizes).toEqual([
      expect.toSatisfy((size: number) => size > 15),
      expect.toSatisfy((size: number) => size <= 15),
    ]);
    expect(String(report)).toMatch(/Disk 'a' is created; spec.size becomes \d+\n/);
  });

  it('should find a value for which an operator writes without end, though its handlers succeed', async () => {
    const { findings } = await run(RestlessOperator, { fields: ['spec.size'] });
    expect(findings.map(({ check }) => check)).toEqual(['hot-loop']);
    expect(findings[0]?.plan.states?.at(-1)).toMatchObject({ spec: { size: expect.toSatisfy((size) => size > 15) } });
  });

  it('should find a value that an operator retries without end, and does not refuse', async () => {
    const { findings } = await run(StubbornOperator, { fields: ['spec.size'] });
    expect(findings.map(({ check }) => check)).toEqual(['convergence']);
  });

  it('should find nothing in values that make the API server reject what the operator writes', async () => {
    expect(await run(RejectedOperator, { fields: ['spec.size'] })).toHaveNoFindings();
  });

  it('should report the properties of the user that a refused value makes impossible', async () => {
    const report = await run(CarefulOperator, { fields: ['spec.size'] }, [
      function hasRightCopies({ list }: SimulatedState) {
        const [{ spec } = disk] = list('Disk') as unknown as (typeof disk)[];
        return list('Secret').every((copy) => atob((copy as any).data.size) === String(spec.size));
      },
    ]);
    expect(report).toHaveNoFindings();
    expect(report.coverage.excused).toEqual([
      { property: 'eventually hasRightCopies', by: 'refused value', runs: expect.any(Number) },
    ]);
  });

  it('should run a plan with changes again', async () => {
    const [finding] = (await run(ForgetfulOperator, { fields: ['spec.zones'] })).findings;
    @Module({ imports: [KopfModule.forRoot()], providers: [ForgetfulOperator] })
    class DiskModule {}
    const again = await simulate(DiskModule, {
      world: { objects: [definition as never] },
      workload: (kube) => kube.apply(disk),
      plans: [finding!.plan],
    });
    expect(again.findings.map(({ message }) => message)).toEqual([finding!.message]);
  });

  it('should find nothing if the API server keeps the object in a state that cannot be brought about', async () => {
    @Module({ imports: [KopfModule.forRoot()], providers: [StubbornOperator] })
    class DiskModule {}
    const states = [10, 18, 13].map((size) => ({ ...disk, spec: { ...disk.spec, size } }));
    const report = await simulate(DiskModule, {
      world: { objects: [definition as never] },
      workload: (kube) => kube.apply(disk),
      plans: [{ seed: 1, faults: [], states }],
    });
    expect(report).toHaveNoFindings();
  });

  it('should need a workload or changes', async () => {
    class EmptyModule {}
    await expect(simulate(EmptyModule, {})).rejects.toThrow('A simulation needs a workload, or changes.');
  });
});
