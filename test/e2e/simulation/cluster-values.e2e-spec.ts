import { Inject, Injectable, Module } from '@nestjs/common';
import { adopt, type ChangeContext, KopfModule, KubeClient, type KubeObject, OnCreate } from 'nestjs-kopf';
import { simulate, type SimulatedUser, type SimulationPlan } from 'nestjs-kopf-simulation';

const SELECTED = { labels: { app: 'site' } };
const site = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...SELECTED } };

const labels = { app: 'site-pods' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'busybox' }] } };
const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'a' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: { replicas: 2, selector: { matchLabels: labels }, template },
};
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a' },
  spec: { type: 'NodePort', selector: labels, ports: [{ port: 80 }] },
};

@Injectable()
class Sites {
  constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', SELECTED)
  async create({ name }: ChangeContext) {
    for (const child of [volume, deployment, service]) {
      const object = { ...child, metadata: { name } } as KubeObject;
      await this.kube.apply(adopt(object), { fieldManager: 'sites', force: true });
    }
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [Sites] })
class SitesModule {}

@Injectable()
class GeneratedVolumes {
  constructor(@Inject(KubeClient) private readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', SELECTED)
  async create() {
    await this.kube.create(adopt({ ...volume, metadata: { generateName: 'a-' } } as KubeObject));
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [GeneratedVolumes] })
class GeneratedModule {}

const workload = async (kube: SimulatedUser): Promise<void> => {
  await kube.apply(site);
  await kube.settled();
};
const world = { kube: { pods: true } };

describe('values that only the cluster can know', () => {
  it('should be no findings in random plans with pods, volumes, and addresses', async () => {
    const report = await simulate(SitesModule, { workload, world, plans: { random: 30, seed: 1 } });
    expect(report.findings.map(({ message }) => message)).toEqual([]);
  }, 120_000);

  it('should be no findings when an owner is recreated', async () => {
    const fault = { kind: 'recreate', resource: 'configmaps', namespace: 'default', name: 'a' } as const;
    const plans = [1, 2, 3, 10].map((afterChange): SimulationPlan => ({
      seed: 1,
      faults: [{ ...fault, afterChange }],
    }));
    const report = await simulate(SitesModule, { workload, world, plans });
    expect(report.findings.map(({ message }) => message)).toEqual([]);
  }, 120_000);

  it('should not hide a second claim behind the volumes of claims', async () => {
    const plans: SimulationPlan[] = [{ seed: 1, faults: [{ kind: 'crash', afterWrite: 1 }] }];
    const { findings } = await simulate(GeneratedModule, { workload, world, plans, shrinking: 0 });
    expect(findings.map(({ message }) => message)).toEqual([
      'PersistentVolumeClaim default/a-* is created twice, and once without faults',
    ]);
  }, 60_000);
});
