import { Test, type TestingModule } from '@nestjs/testing';
import { KopfModule, KopfOperator, KubeClient, SystemClock, type KubeObject } from 'nestjs-kopf';
import { AppModule } from '../../apps/ephemeral-volume-claims/src/app.module.js';
import { Demo } from '../../apps/ephemeral-volume-claims/src/demo.js';
import { readManifest } from '../../apps/ephemeral-volume-claims/src/manifests.js';
import { administrator, permit, untilServed, type Definition } from '../support/clusters/cluster.access.js';
import { readManifests } from '../support/clusters/manifests.js';
import { startControlPlane, type ControlPlane } from '../support/clusters/control-plane.js';

const STORAGE_CLASS = 'expandable';

/** The objects of a cluster with a storage provider: a class that allows for resizing, and volumes to be bound. */
const STORAGE: readonly KubeObject[] = [
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: STORAGE_CLASS },
    provisioner: 'kubernetes.io/no-provisioner',
    allowVolumeExpansion: true,
  },
  ...['one', 'two'].map((name) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: STORAGE_CLASS,
      hostPath: { path: `/tmp/${name}` },
    },
  })),
];

describe('the operator of ephemeral volume claims on a real control plane', () => {
  let cluster: ControlPlane;
  let administration: TestingModule;
  let module: TestingModule;
  let client: KubeClient;

  beforeAll(async () => {
    cluster = await startControlPlane({ node: true });
    administration = await Test.createTestingModule({
      imports: [KopfModule.forRoot({ enabled: false, credentials: cluster.kubeconfigPath })],
    }).compile();
    client = administration.get(KubeClient);
    const definition = await client.create<Definition>(readManifest('crd') as Definition);
    for (const object of STORAGE) await client.create(object);
    const user = administrator(cluster);
    await untilServed(user, definition);
    const credentials = await permit(cluster, user, readManifests('ephemeral-volume-claims/rbac.yaml'));
    await user.close();
    module = await Test.createTestingModule({ imports: [AppModule.register({ credentials })] }).compile();
    await module.init();
    await module.get(KopfOperator).ready();
  });

  afterAll(async () => {
    await module?.close();
    await administration?.close();
    await cluster?.stop();
  });

  it('should go through the whole tutorial with the generated rules', async () => {
    const steps: string[] = [];
    const report = (line: string): void => void steps.push(line.split(':')[0]);
    const options = { client, clock: new SystemClock(), report, storageClassName: STORAGE_CLASS, patience: 60 };
    await new Demo(options).run();
    expect(steps).toEqual(['created', 'refused', 'resized', 'relabelled', 'used', 'finished', 'deleted']);
  });
});
