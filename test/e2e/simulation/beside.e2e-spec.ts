import { Injectable, Module, type DynamicModule } from '@nestjs/common';
import { KopfModule, OnCreate, OnDelete, OnUpdate, type ChangeContext } from 'nestjs-kopf';
import { AnnotationsDiffBaseStorage, AnnotationsProgressStorage } from 'nestjs-kopf/storages';
import { simulate, type SimulatedUser, type SimulationReport } from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';

expect.extend(kopfMatchers);

const disk = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', labels: { app: 'disk' } },
  data: { size: '1' },
};
const DISKS = { labels: { app: 'disk' } };

/** Notes the size that it has seen, under its name, and holds the object until it is released. */
function operatorOf(name: string, persistence: object): DynamicModule {
  @Injectable()
  class NotingOperator {
    @OnCreate('configmaps.v1', DISKS)
    @OnUpdate('configmaps.v1', { ...DISKS, field: 'data.size' })
    note({ body, patch }: ChangeContext) {
      const { size } = (body as unknown as typeof disk).data;
      patch.merge({ metadata: { annotations: { [`${name}.example.com/size`]: size } } });
    }

    @OnDelete('configmaps.v1', DISKS)
    release() {}
  }
  class OperatorModule {}
  Module({ imports: [KopfModule.forRoot({ persistence })], providers: [NotingOperator] })(OperatorModule);
  return { module: OperatorModule };
}

const stateOf = (prefix: string): object => ({
  finalizer: `${prefix}/finalizer`,
  progressStorage: new AnnotationsProgressStorage({ prefix }),
  diffbaseStorage: new AnnotationsDiffBaseStorage({ prefix }),
});

async function workload(kube: SimulatedUser): Promise<void> {
  await kube.apply(disk);
  await kube.settled();
  await kube.patch(disk, { data: { size: '2' } });
  await kube.settled();
}

const hasBothNotes = ({ find }: { find: (object: any) => any }): boolean =>
  ['one', 'other'].every((name) => find(disk)?.metadata.annotations?.[`${name}.example.com/size`] === '2');

function run(own: object, other: object): Promise<SimulationReport> {
  return simulate(operatorOf('one', own), {
    workload,
    beside: [operatorOf('other', other)],
    eventually: [{ holds: hasBothNotes, unless: ['rejected-patch'] }],
    plans: { random: 12, seed: 5 },
  });
}

describe('Operators beside each other', { timeout: 300_000 }, () => {
  it('should get along if each has its own state on the objects', async () => {
    const report = await run(stateOf('one.example.com'), stateOf('other.example.com'));
    expect(report).toHaveNoFindings();
    expect(report.plans).toBe(12);
  });

  it('should be found to take the state of the other for their own', async () => {
    const { findings } = await run({}, {});
    expect(findings.map(({ check }) => check)).toContain('eventually');
  });
});
