import { Inject, Injectable, Module } from '@nestjs/common';
import { adopt, KopfModule, KubeClient, OnCreate, OnUpdate, type ChangeContext } from 'nestjs-kopf';
import {
  simulate,
  type SimulatedState,
  type SimulatedUser,
  type SimulationFault,
  type SimulationOptions,
  type SimulationReport,
} from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';

expect.extend(kopfMatchers);

const disk = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', labels: { app: 'disk' } },
  data: { size: '1' },
};
const DISKS = { labels: { app: 'disk' } };
const VOLUME = { resource: 'secrets', namespace: 'default', name: 'volume-a' };

/** Creates a volume for a disk, does not look at it again, and notes its size on the disk. */
@Injectable()
class DiskOperator {
  constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', DISKS)
  async create({ name, patch, body }: ChangeContext) {
    const volume = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `volume-${name}` } };
    await this.kube.apply(adopt(volume as never), { fieldManager: 'disks', force: true });
    patch.merge({ data: { noted: (body as unknown as typeof disk).data.size } });
  }

  @OnUpdate('configmaps.v1', { ...DISKS, field: 'data.size' })
  resize({ new: size, patch }: ChangeContext) {
    patch.merge({ data: { noted: size } });
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [DiskOperator] })
class DiskModule {}

async function workload(kube: SimulatedUser): Promise<void> {
  await kube.apply(disk);
  await kube.settled();
  await kube.patch(disk, { data: { size: '2' } });
}

function hasVolume({ list }: SimulatedState): boolean {
  return list('Secret').length === 1;
}

function isNoted({ find }: SimulatedState): boolean {
  const { data } = find(disk) as unknown as { readonly data: Readonly<Record<string, string>> };
  return data.noted === data.size;
}

function run(fault: SimulationFault, options: Partial<SimulationOptions>): Promise<SimulationReport> {
  return simulate(DiskModule, { workload, plans: [{ seed: 1, faults: [fault] }], ...options });
}

function describeFindings({ findings }: SimulationReport): readonly string[] {
  return findings.map(({ check, message }) => `${check}: ${message}`);
}

const drift: SimulationFault = { kind: 'drift', ...VOLUME, afterChange: 4 };
const rejected: SimulationFault = {
  kind: 'rejected-patch',
  resource: 'configmaps',
  part: 'object',
  by: 'policy',
  forever: true,
};

describe('Properties of the user', { timeout: 300_000 }, () => {
  it('should count after another client has deleted an object', async () => {
    const report = await run(drift, { eventually: [hasVolume] });
    expect(describeFindings(report)).toEqual(['eventually: hasVolume']);
    expect(report.coverage.excused).toEqual([]);
  });

  it('should count after patches were rejected until the end', async () => {
    const report = await run(rejected, { eventually: [isNoted] });
    expect(describeFindings(report)).toEqual(['eventually: isNoted']);
  });

  it('should be excused if they name the fault that makes them impossible', async () => {
    const report = await run(drift, { eventually: [{ holds: hasVolume, unless: ['drift'] }] });
    expect(report).toHaveNoFindings();
    expect(report.coverage.excused).toEqual([{ property: 'eventually hasVolume', by: 'drift', runs: 1 }]);
    expect(String(report)).toContain('\nexcused: eventually hasVolume, by drift in 1 run');
    expect(report.toHtml()).toContain('eventually hasVolume');
  });

  it('should be excused at any time from the fault on, and not before', async () => {
    const always = [{ holds: ({ list }: SimulatedState) => list('Secret').length === 1, unless: ['drift'] as const }];
    const report = await run(drift, { always });
    expect(describeFindings(report)).toEqual(['always: holds']);
  });

  it('should be excused if the fault names them', async () => {
    const excused = await run({ ...drift, excuses: ['hasVolume'] }, { eventually: [hasVolume] });
    expect(excused).toHaveNoFindings();
    expect(excused.coverage.excused).toEqual([{ property: 'eventually hasVolume', by: 'drift', runs: 1 }]);
    const other = await run({ ...drift, excuses: ['isNoted'] }, { eventually: [hasVolume] });
    expect(describeFindings(other)).toEqual(['eventually: hasVolume']);
  });

  it('should be excused by what is never stored, and not by a rejection that ends', async () => {
    const eventually = [{ holds: isNoted, unless: ['rejected-patch'] as const }];
    const endless = await run(rejected, { eventually });
    expect(endless).toHaveNoFindings();
    expect(endless.coverage.excused).toEqual([{ property: 'eventually isNoted', by: 'rejected-patch', runs: 1 }]);
    const { forever: _, ...ending } = rejected as { forever?: boolean } & typeof rejected;
    expect((await run({ ...ending, times: 2 }, { eventually })).coverage.excused).toEqual([]);
  });

  it('should count in spite of all faults if they say so', async () => {
    const report = await run({ ...rejected, excuses: 'eventually' }, { eventually: [{ holds: isNoted, unless: [] }] });
    expect(describeFindings(report)).toEqual(['eventually: isNoted']);
  });

  it('should be excused in generated plans only after rejections that last until the end', async () => {
    const report = await simulate(DiskModule, { workload, eventually: [isNoted, hasVolume], stopAfter: 50 });
    expect(new Set(describeFindings(report))).toEqual(new Set(['eventually: hasVolume']));
    expect(report.findings.map(({ plan }) => plan.faults.map(({ kind }) => kind))).toEqual([['drift']]);
    expect(report.coverage.excused.map(({ property, by }) => `${property} by ${by}`)).toEqual([
      'eventually isNoted by rejected-patch',
    ]);
  });
});
