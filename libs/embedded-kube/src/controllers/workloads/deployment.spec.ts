import { Cluster, DEPLOYMENTS, PODS, REPLICA_SETS, selector, template } from './workloads.spec-support.js';

let cluster: Cluster;
const web = (spec: object = {}) => ({
  metadata: { name: 'web' },
  spec: { replicas: 3, selector, template: template(), ...spec },
});
const images = (): string[] =>
  cluster.kube.client
    .list(PODS, 'default')
    .map(({ spec }) => (spec as { containers: { image: string }[] }).containers[0].image);
const conditions = (name: string): Record<string, string> =>
  Object.fromEntries(
    cluster
      .status(DEPLOYMENTS, name)
      .conditions.map(({ type, status, reason }: Record<string, string>) => [type, `${status} ${reason}`]),
  );
const revisions = (): Record<string, string | undefined> =>
  Object.fromEntries(
    cluster.kube.client
      .list(REPLICA_SETS, 'default')
      .map(({ metadata }) => [metadata.name!, metadata.annotations?.['deployment.kubernetes.io/revision']]),
  );

beforeEach(async () => {
  cluster = await Cluster.start();
});
afterEach(() => cluster.kube.stop());

describe('DeploymentController', () => {
  it('should bring up the pods of a deployment', async () => {
    await cluster.create(DEPLOYMENTS, web());
    await cluster.clock.advance(5000);
    const [set] = cluster.names(REPLICA_SETS);
    expect(set).toMatch(/^web-[a-z0-9]{8,10}$/);
    expect(images()).toEqual(['web:1', 'web:1', 'web:1']);
    expect(cluster.status(DEPLOYMENTS, 'web')).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
    expect(conditions('web')).toEqual({
      Available: 'True MinimumReplicasAvailable',
      Progressing: 'True NewReplicaSetAvailable',
    });
    expect(cluster.events('Deployment')).toEqual([`ScalingReplicaSet: Scaled up replica set ${set} from 0 to 3`]);
    expect(cluster.events('ReplicaSet')).toEqual(
      cluster.names(PODS).map(() => expect.stringMatching(`SuccessfulCreate: Created pod: ${set}-`)),
    );
  });

  it('should roll a new template out within its limits, and keep the old ReplicaSet', async () => {
    await cluster.create(DEPLOYMENTS, web({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }));
    await cluster.clock.advance(5000);
    const counts: number[] = [];
    cluster.kube.client.watch(PODS, () =>
      counts.push(cluster.names(PODS).filter((name) => !cluster.get(PODS, name)?.metadata.deletionTimestamp).length),
    );
    await cluster.patch(DEPLOYMENTS, 'web', { spec: { template: template('web:2') } });
    await cluster.clock.advance(20_000);
    expect(images()).toEqual(['web:2', 'web:2', 'web:2']);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([3, 4]);
    expect(Object.values(revisions()).toSorted()).toEqual(['1', '2']);
    expect(cluster.get(DEPLOYMENTS, 'web')?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '2',
    });
    expect(conditions('web')['Progressing']).toBe('True NewReplicaSetAvailable');
  });

  it('should go back to an earlier template with its old ReplicaSet under a new revision', async () => {
    await cluster.create(DEPLOYMENTS, web());
    await cluster.clock.advance(5000);
    const [first] = cluster.names(REPLICA_SETS);
    await cluster.patch(DEPLOYMENTS, 'web', { spec: { template: template('web:2') } });
    await cluster.clock.advance(20_000);
    await cluster.patch(DEPLOYMENTS, 'web', { spec: { template: template('web:1') } });
    await cluster.clock.advance(20_000);
    expect(images()).toEqual(['web:1', 'web:1', 'web:1']);
    expect(revisions()[first]).toBe('3');
    expect(cluster.get(REPLICA_SETS, first)?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision-history': '1',
    });
  });

  it('should delete all old pods before new ones come under Recreate', async () => {
    await cluster.create(DEPLOYMENTS, web({ strategy: { type: 'Recreate' } }));
    await cluster.clock.advance(5000);
    const mixed: string[] = [];
    cluster.kube.client.watch(PODS, () => mixed.push([...new Set(images())].join(' ')));
    await cluster.patch(DEPLOYMENTS, 'web', { spec: { template: template('web:2') } });
    await cluster.clock.advance(20_000);
    expect(images()).toEqual(['web:2', 'web:2', 'web:2']);
    expect(mixed.filter((each) => each.includes(' '))).toEqual([]);
  });

  it('should not roll out while it is paused, but follow its size', async () => {
    await cluster.create(DEPLOYMENTS, web());
    await cluster.clock.advance(5000);
    await cluster.patch(DEPLOYMENTS, 'web', { spec: { paused: true, template: template('web:2'), replicas: 4 } });
    await cluster.clock.advance(5000);
    expect(images()).toEqual(['web:1', 'web:1', 'web:1', 'web:1']);
    expect(conditions('web')['Progressing']).toBe('Unknown DeploymentPaused');
    await cluster.patch(DEPLOYMENTS, 'web', { spec: { paused: false } });
    await cluster.clock.advance(20_000);
    expect(images()).toEqual(['web:2', 'web:2', 'web:2', 'web:2']);
  });

  it('should say when a rollout makes no progress within its deadline', async () => {
    await cluster.kube.stop();
    cluster = await Cluster.start({ pods: false });
    await cluster.create(DEPLOYMENTS, web({ progressDeadlineSeconds: 30 }));
    await cluster.clock.advance(20_000);
    expect(conditions('web')['Progressing']).toBe('True ReplicaSetUpdated');
    await cluster.clock.advance(20_000);
    expect(conditions('web')).toEqual({
      Available: 'False MinimumReplicasUnavailable',
      Progressing: 'False ProgressDeadlineExceeded',
    });
  });

  it('should delete ReplicaSets beyond the history limit', async () => {
    await cluster.create(DEPLOYMENTS, web({ revisionHistoryLimit: 1 }));
    for (const image of ['web:2', 'web:3', 'web:4']) {
      await cluster.clock.advance(20_000);
      await cluster.patch(DEPLOYMENTS, 'web', { spec: { template: template(image) } });
    }
    await cluster.clock.advance(20_000);
    expect(Object.values(revisions()).toSorted()).toEqual(['3', '4']);
  });

  it('should scale in proportion in the middle of a rollout', async () => {
    await cluster.kube.stop();
    cluster = await Cluster.start({ pods: { startSeconds: 60 } });
    const strategy = { rollingUpdate: { maxSurge: 2, maxUnavailable: 3 } };
    await cluster.create(DEPLOYMENTS, web({ replicas: 10, strategy }));
    await cluster.clock.advance(61_000);
    await cluster.patch(DEPLOYMENTS, 'web', { spec: { template: template('web:2') } });
    await cluster.clock.advance(1000);
    const sizes = (): number[] =>
      cluster.names(REPLICA_SETS).map((name) => cluster.spec(REPLICA_SETS, name).replicas as number);
    expect(sizes().toSorted()).toEqual([5, 7]);
    await cluster.patch(DEPLOYMENTS, 'web', { spec: { replicas: 20 } });
    await cluster.clock.advance(1000);
    expect(sizes().toSorted((a, b) => a - b)).toEqual([9, 13]);
  });

  it('should stay away where it is switched off', async () => {
    await cluster.kube.stop();
    cluster = await Cluster.start({ builtinControllers: { 'deployment-controller': false } });
    await cluster.create(DEPLOYMENTS, web());
    await cluster.clock.advance(5000);
    expect(cluster.names(REPLICA_SETS)).toEqual([]);
  });
});
