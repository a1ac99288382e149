import type { ResourceId } from '../controller.js';
import { Cluster, PODS, selector, template } from './workloads.spec-support.js';

const STATEFUL_SETS: ResourceId = { group: 'apps', plural: 'statefulsets' };
const CLAIMS: ResourceId = { group: '', plural: 'persistentvolumeclaims' };
const REVISIONS: ResourceId = { group: 'apps', plural: 'controllerrevisions' };
let cluster: Cluster;
let order: string[];
const db = (spec: object = {}) => ({
  metadata: { name: 'db' },
  spec: { replicas: 3, serviceName: 'db', selector, template: template(), ...spec },
});
const images = (): string[] =>
  cluster.names(PODS).map((name) => `${name} ${cluster.spec(PODS, name).containers[0].image as string}`);

beforeEach(async () => {
  cluster = await Cluster.start();
  order = [];
  cluster.kube.client.watch(PODS, ({ type, object }) => {
    if (type !== 'MODIFIED') order.push(`${type} ${object.metadata.name}`);
  });
});
afterEach(() => cluster.kube.stop());

describe('StatefulSetController', () => {
  it('should create pods with identities one after the other, and delete them in the reverse order', async () => {
    await cluster.create(STATEFUL_SETS, db());
    await cluster.clock.advance(10_000);
    expect(order).toEqual(['ADDED db-0', 'ADDED db-1', 'ADDED db-2']);
    expect(cluster.get(PODS, 'db-1')).toMatchObject({
      metadata: { labels: { 'statefulset.kubernetes.io/pod-name': 'db-1', 'apps.kubernetes.io/pod-index': '1' } },
      spec: { hostname: 'db-1', subdomain: 'db' },
    });
    expect(cluster.status(STATEFUL_SETS, 'db')).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      observedGeneration: 1,
    });
    await cluster.patch(STATEFUL_SETS, 'db', { spec: { replicas: 1 } });
    await cluster.clock.advance(10_000);
    expect(order.slice(3)).toEqual(['DELETED db-2', 'DELETED db-1']);
    expect(cluster.events('StatefulSet').slice(0, 1)).toEqual([
      'SuccessfulCreate: Create Pod db-0 in StatefulSet db successful',
    ]);
  });

  it('should create all pods at once where the policy allows it', async () => {
    await cluster.create(STATEFUL_SETS, db({ podManagementPolicy: 'Parallel', ordinals: { start: 5 } }));
    await cluster.clock.advance(1);
    expect(order).toEqual(['ADDED db-5', 'ADDED db-6', 'ADDED db-7']);
  });

  it('should update pods from the last to the first, down to the partition', async () => {
    await cluster.create(STATEFUL_SETS, db({ updateStrategy: { rollingUpdate: { partition: 1 } } }));
    await cluster.clock.advance(10_000);
    await cluster.patch(STATEFUL_SETS, 'db', { spec: { template: template('db:2') } });
    await cluster.clock.advance(10_000);
    expect(order.slice(3)).toEqual(['DELETED db-2', 'ADDED db-2', 'DELETED db-1', 'ADDED db-1']);
    expect(images()).toEqual(['db-0 web:1', 'db-1 db:2', 'db-2 db:2']);
    const before = cluster.status(STATEFUL_SETS, 'db');
    expect(before).toMatchObject({ currentReplicas: 1, updatedReplicas: 2 });
    await cluster.delete(PODS, 'db-0');
    await cluster.clock.advance(10_000);
    expect(images()[0]).toBe('db-0 web:1');
    await cluster.patch(STATEFUL_SETS, 'db', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await cluster.clock.advance(10_000);
    expect(images()).toEqual(['db-0 db:2', 'db-1 db:2', 'db-2 db:2']);
    expect(cluster.status(STATEFUL_SETS, 'db')).toMatchObject({
      currentRevision: before.updateRevision,
      currentReplicas: 3,
    });
  });

  it('should keep a revision of each template, and take one up again', async () => {
    await cluster.create(STATEFUL_SETS, db({ replicas: 1 }));
    for (const image of ['db:2', 'web:1']) {
      await cluster.clock.advance(10_000);
      await cluster.patch(STATEFUL_SETS, 'db', { spec: { template: template(image) } });
    }
    await cluster.clock.advance(10_000);
    const revisions = cluster.kube.client.list(REVISIONS, 'default').map(({ revision }) => revision);
    expect(revisions.toSorted()).toEqual([2, 3]);
  });

  it('should replace one pod at a time, whatever may be unavailable, as that feature is off', async () => {
    await cluster.create(STATEFUL_SETS, db({ updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }));
    await cluster.clock.advance(10_000);
    order = [];
    await cluster.patch(STATEFUL_SETS, 'db', { spec: { template: template('db:2') } });
    await cluster.clock.advance(10_000);
    expect(order.slice(0, 3)).toEqual(['DELETED db-2', 'ADDED db-2', 'DELETED db-1']);
    expect(images()).toEqual(['db-0 db:2', 'db-1 db:2', 'db-2 db:2']);
  });

  it('should delete the claims of pods that are scaled away where their retention says so', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec }];
    const persistentVolumeClaimRetentionPolicy = { whenScaled: 'Delete', whenDeleted: 'Retain' };
    await cluster.create(STATEFUL_SETS, db({ volumeClaimTemplates, persistentVolumeClaimRetentionPolicy }));
    await cluster.clock.advance(10_000);
    expect(cluster.names(CLAIMS)).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
    await cluster.patch(STATEFUL_SETS, 'db', { spec: { replicas: 1 } });
    await cluster.clock.advance(10_000);
    expect(cluster.names(CLAIMS)).toEqual(['data-db-0']);
  });

  it('should replace a pod that has failed, and claim the same volume for it', async () => {
    const volumeClaimTemplates = [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ];
    await cluster.create(STATEFUL_SETS, db({ replicas: 2, volumeClaimTemplates }));
    await cluster.clock.advance(10_000);
    expect(cluster.names(CLAIMS)).toEqual(['data-db-0', 'data-db-1']);
    expect(cluster.spec(PODS, 'db-0').volumes[0]).toEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-db-0' },
    });
    const { uid } = cluster.get(PODS, 'db-0')!.metadata;
    await cluster.patch(PODS, 'db-0', { status: { phase: 'Failed' } }, 'status');
    await cluster.clock.advance(10_000);
    expect(cluster.get(PODS, 'db-0')?.metadata.uid).not.toBe(uid);
    expect(cluster.names(CLAIMS)).toEqual(['data-db-0', 'data-db-1']);
    expect(cluster.events('StatefulSet')).toContain(
      'RecreatingFailedPod: StatefulSet default/db is recreating failed Pod db-0',
    );
  });
});
