// #region imports
import { Inject, Injectable, Module } from '@nestjs/common';
import fc from 'fast-check';
import {
  adopt,
  KOPF_CLOCK,
  KopfModule,
  KubeClient,
  OnCreate,
  OnUpdate,
  type ChangeContext,
  type Clock,
} from 'nestjs-kopf';
import {
  defineSimulation,
  simulate,
  type SimulatedCommand,
  type SimulatedState,
  type SimulatedUser,
  type SimulationPlan,
} from 'nestjs-kopf-simulation';
import { kopfMatchers, KopfTest } from 'nestjs-kopf/testing';
// #endregion

// #region operator
@Injectable()
export class DiskOperator {
  constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', { labels: { app: 'disk' } })
  async create({ name }: ChangeContext) {
    const volume = adopt({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { generateName: `${name}-` },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    const { metadata } = await this.kube.create(volume);
    return { volume: metadata.name };
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [DiskOperator] })
export class AppModule {}
// #endregion

// #region passing
const disk = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { app: 'disk' } } };

it('should create a volume', async () => {
  await using test = await KopfTest.create({ imports: [AppModule] });
  await test.handled(await test.apply(disk));
  const { items } = await test.client.list('persistentvolumeclaims.v1');
  expect(items).toHaveLength(1);
});
// #endregion

// #region workload
const workload = async (kube: SimulatedUser) => {
  await kube.apply(disk);
  await kube.settled();
};
// #endregion

// #region finding
it('should create a second volume after a crash', async () => {
  const report = await simulate(AppModule, { workload });
  expect(report.findings.map(({ check, message }) => `${check}: ${message}`)).toEqual([
    'surplus: PersistentVolumeClaim default/a-* is created twice, and once without faults',
  ]);
  expect(report.findings[0].plan).toEqual({ seed: 1, faults: [{ kind: 'crash', afterWrite: 1 }] });
}, 60_000);
// #endregion

// #region fixed
@Injectable()
class FixedOperator {
  constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', { labels: { app: 'disk' } })
  async create({ name }: ChangeContext) {
    const volume = adopt({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await this.kube.apply(volume, { fieldManager: 'disks', force: true });
    return { volume: name };
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [FixedOperator] })
class FixedModule {}
// #endregion

// #region nothing
expect.extend(kopfMatchers);

it('should create one volume, whatever goes wrong', async () => {
  const report = await simulate(FixedModule, { workload });
  expect(report).toHaveNoFindings();
}, 60_000);
// #endregion

// #region recreated
it('should lose the volume of an object that is recreated', async () => {
  const plan: SimulationPlan = {
    seed: 1,
    faults: [
      { kind: 'recreate', resource: 'configmaps', namespace: 'default', name: 'a', afterChange: 1 },
      { kind: 'lost-answer', ofWrite: 1 },
    ],
  };
  const report = await simulate(FixedModule, { workload, plans: [plan] });
  expect(report.findings[0].message).toBe(
    'the end differs from that without faults: PersistentVolumeClaim default/a is missing (and what the cluster derives from that)',
  );
});
// #endregion

// #region commands
type Disks = Set<string>;

const diskNamed = (name: string) => ({ ...disk, metadata: { ...disk.metadata, name } });

class CreateDisk implements SimulatedCommand<Disks> {
  constructor(private readonly name: string) {}

  check(disks: Readonly<Disks>) {
    return !disks.has(this.name);
  }

  async run(disks: Disks, kube: SimulatedUser) {
    disks.add(this.name);
    await kube.apply(diskNamed(this.name));
  }

  toString() {
    return `create ${this.name}`;
  }
}

class DeleteDisk implements SimulatedCommand<Disks> {
  constructor(private readonly name: string) {}

  check(disks: Readonly<Disks>) {
    return disks.has(this.name);
  }

  async run(disks: Disks, kube: SimulatedUser) {
    disks.delete(this.name);
    await kube.settled();
    await kube.delete(diskNamed(this.name));
    await kube.settled();
  }

  toString() {
    return `delete ${this.name}`;
  }
}

const names = fc.constantFrom('a', 'b', 'c');
const sequences = fc.commands<Disks, SimulatedUser, boolean>([
  names.map((name) => new CreateDisk(name)),
  names.map((name) => new DeleteDisk(name)),
]);
// #endregion

// #region sampled
it('should need one command to show the second volume', async () => {
  const [commands] = fc.sample(sequences, { seed: 1, numRuns: 1 });
  const report = await simulate(AppModule, {
    workload: { commands, model: () => new Set<string>() },
    stopAfter: 1,
  });
  const [{ workload, operations, plan }] = report.findings;
  expect(workload).toEqual(['create c', 'create c', 'create c', 'create a', 'delete c']);
  expect(operations).toBe(1);
  expect(plan).toEqual({ seed: 1, faults: [{ kind: 'crash', afterWrite: 1 }], without: [2, 3, 4, 5] });
}, 60_000);
// #endregion

// #region drawn
it('should have volumes in whatever order disks are created and deleted', async () => {
  const property = fc.asyncProperty(sequences, async (commands) => {
    const report = await simulate(FixedModule, {
      workload: { commands, model: () => new Set<string>() },
      oracles: { idle: false },
      limit: 20,
    });
    expect(report).toHaveNoFindings();
  });
  await fc.assert(property, { seed: 1, numRuns: 3 });
}, 60_000);
// #endregion

// #region rejected
it('should have a volume though a policy denies all changes of annotations', async () => {
  const plan: SimulationPlan = {
    seed: 1,
    faults: [{ kind: 'rejected-patch', resource: 'configmaps', part: 'annotations', by: 'policy', forever: true }],
  };
  const report = await simulate(FixedModule, { workload, plans: [plan] });
  expect(report).toHaveNoFindings();
});
// #endregion

// #region burst
it('should have a volume though credentials are not accepted for a moment', async () => {
  const plan: SimulationPlan = { seed: 1, faults: [{ kind: 'unauthorized', afterChange: 1, seconds: 5 }] };
  const report = await simulate(FixedModule, { workload, plans: [plan] });
  expect(report).toHaveNoFindings();
});
// #endregion

// #region skew
@Injectable()
class FreshDiskOperator extends FixedOperator {
  @Inject(KOPF_CLOCK) private readonly clock!: Clock;

  @OnCreate('configmaps.v1', { labels: { app: 'disk' } })
  override async create(context: ChangeContext) {
    const age = this.clock.now() - Date.parse(String(context.meta.creationTimestamp));
    return age < 3_600_000 ? super.create(context) : { volume: 'none' };
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [FreshDiskOperator] })
class FreshDiskModule {}

it('should take new disks for old ones with a clock that is two hours ahead', async () => {
  const plan: SimulationPlan = { seed: 1, faults: [{ kind: 'clock-skew', seconds: 7200, afterChange: 0 }] };
  const report = await simulate(FreshDiskModule, { workload, plans: [plan] });
  expect(report.findings[0].message).toBe(
    'the end differs from that without faults: PersistentVolumeClaim default/a is missing (and what the cluster derives from that)',
  );
});
// #endregion

// #region palette
const palette = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'warm', labels: { app: 'palette' } },
  data: { sun: 'yellow', brick: 'red' },
};

@Injectable()
class PaletteOperator {
  constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', { labels: { app: 'palette' } })
  @OnUpdate('configmaps.v1', { labels: { app: 'palette' } })
  async ensure({ name, body }: ChangeContext) {
    const { data } = body as unknown as typeof palette;
    for (const [color, value] of Object.entries(data)) {
      const pot = adopt({ apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-${color}` } });
      await this.kube.apply({ ...pot, stringData: { value } }, { fieldManager: 'palettes', force: true });
    }
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [PaletteOperator] })
class PaletteModule {}
// #endregion

// #region changes
it('should leave a secret when a color is removed', async () => {
  const report = await simulate(PaletteModule, { changes: { object: palette, runs: 10 }, plans: [], stopAfter: 1 });
  expect(report.findings[0].message).toMatch(
    /^an object that is changed ends otherwise than one that is created like that: Secret default\/warm-\w+ is there, but should not be/,
  );
});
// #endregion

// #region properties
function noTwoVolumes({ list }: SimulatedState) {
  return list('PersistentVolumeClaim').length <= 1;
}

function hasVolume({ list }: SimulatedState) {
  return list('PersistentVolumeClaim').length === 1 || 'there is none';
}

it('should have one volume at all times', async () => {
  const report = await simulate(FixedModule, {
    workload,
    always: [noTwoVolumes],
    eventually: [hasVolume],
    plans: { random: 10, seed: 42 },
  });
  expect(report).toHaveNoFindings();
});
// #endregion

// #region excused
it('should have a volume, unless another client deletes it', async () => {
  const report = await simulate(FixedModule, {
    workload,
    eventually: [{ holds: hasVolume, unless: ['drift'] }],
    plans: { random: 10, seed: 42 },
  });
  expect(report).toHaveNoFindings();
});
// #endregion

// #region definition
export default defineSimulation(FixedModule, { workload, eventually: [hasVolume] });
// #endregion

// #region replay
it('should not create a second volume any more', async () => {
  const report = await simulate(FixedModule, {
    workload,
    plans: [{ seed: 1, faults: [{ kind: 'crash', afterWrite: 1 }] }],
  });
  expect(report).toHaveNoFindings();
});
// #endregion
