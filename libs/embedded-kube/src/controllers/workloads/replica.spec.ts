import type { VirtualClock } from '../../../../../test/support/time/virtual.clock.js';
import type { Clock } from 'kube-common';
import { Cluster, EVENTS, PODS, REPLICA_SETS, selector, template } from './workloads.spec-support.js';

const CONTROLLERS = { group: '', plural: 'replicationcontrollers' };
const STATEFUL_SETS = { group: 'apps', plural: 'statefulsets' };
const DAEMON_SETS = { group: 'apps', plural: 'daemonsets' };
let cluster: Cluster;
const pod = (name: string, labels: object = { app: 'web' }) => ({ metadata: { name, labels }, spec: template().spec });

beforeEach(async () => {
  cluster = await Cluster.start();
});
afterEach(() => cluster.kube.stop());

describe('ReplicaController', () => {
  it.each([
    ['ReplicaSet', REPLICA_SETS, selector],
    ['ReplicationController', CONTROLLERS, { app: 'web' }],
  ])('should keep as many pods as a %s asks for', async (kind, resource, selects) => {
    await cluster.create(resource, {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector: selects, template: template() },
    });
    await cluster.clock.advance(1000);
    expect(cluster.names(PODS)).toHaveLength(2);
    await cluster.delete(PODS, cluster.names(PODS)[0]);
    await cluster.clock.advance(1000);
    expect(cluster.names(PODS)).toHaveLength(2);
    await cluster.patch(resource, 'web', { spec: { replicas: 1 } });
    await cluster.clock.advance(1000);
    expect(cluster.names(PODS)).toHaveLength(1);
    expect(cluster.status(resource, 'web')).toMatchObject({
      replicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      observedGeneration: 2,
    });
    expect(cluster.events(kind).at(-1)).toMatch(/^SuccessfulDelete: Deleted pod: web-/);
  });

  it('should adopt matching pods, and release those that match no more', async () => {
    await cluster.create(PODS, pod('stray'));
    await cluster.clock.advance(1000);
    const set = await cluster.create(REPLICA_SETS, {
      metadata: { name: 'web' },
      spec: { replicas: 1, selector, template: template() },
    });
    await cluster.clock.advance(1000);
    expect(cluster.names(PODS)).toEqual(['stray']);
    expect(cluster.get(PODS, 'stray')?.metadata.ownerReferences).toMatchObject([
      { uid: set.metadata.uid, controller: true },
    ]);
    await cluster.patch(PODS, 'stray', { metadata: { labels: { app: 'other' } } });
    await cluster.clock.advance(1000);
    expect(cluster.get(PODS, 'stray')?.metadata.ownerReferences).toBeUndefined();
    expect(cluster.names(PODS)).toHaveLength(2);
  });

  it('should count a pod as available after the minimum of its ready time', async () => {
    await cluster.create(REPLICA_SETS, {
      metadata: { name: 'web' },
      spec: { replicas: 1, minReadySeconds: 10, selector, template: template() },
    });
    await cluster.clock.advance(5000);
    expect(cluster.status(REPLICA_SETS, 'web')).toMatchObject({ readyReplicas: 1 });
    expect(cluster.status(REPLICA_SETS, 'web').availableReplicas).toBeUndefined();
    await cluster.clock.advance(10_000);
    expect(cluster.status(REPLICA_SETS, 'web')).toMatchObject({ availableReplicas: 1 });
  });

  it('should say why pods cannot be created, and go on once they can', async () => {
    await cluster.kube.stop();
    let isFull = true;
    cluster = await Cluster.start({
      admission: [
        {
          name: 'Full',
          validate: ({ served, operation }) => {
            if (isFull && served.resource.plural === 'pods' && operation === 'CREATE')
              throw new Error('the cluster is full');
          },
        },
      ],
    });
    await cluster.create(REPLICA_SETS, {
      metadata: { name: 'web' },
      spec: { replicas: 1, selector, template: template() },
    });
    await cluster.clock.advance(1000);
    const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' };
    expect(cluster.status(REPLICA_SETS, 'web').conditions).toMatchObject([failure]);
    expect(cluster.events('ReplicaSet')).toEqual(['FailedCreate: Error creating: the cluster is full']);
    expect((cluster.kube.client.list(EVENTS, 'default')[0] as unknown as { count: number }).count).toBeGreaterThan(1);
    isFull = false;
    await cluster.clock.advance(60_000);
    expect(cluster.status(REPLICA_SETS, 'web')).toMatchObject({ replicas: 1 });
    expect(cluster.status(REPLICA_SETS, 'web').conditions).toBeUndefined();
  });
});

describe('a pod that becomes available while its owner is looked at', () => {
  /** Returns a clock that is a millisecond behind the timers at the first look at each moment. */
  function behind(time: VirtualClock): Clock {
    let seen = -1;
    const now = (): number => {
      const isFirst = seen !== time.now();
      seen = time.now();
      return isFirst ? seen - 1 : seen;
    };
    return Object.assign(Object.create(time) as Clock, { now });
  }

  const own = { minReadySeconds: 10, selector, template: template() };
  it.each([
    ['ReplicaSet', REPLICA_SETS, { replicas: 1, ...own }, 'availableReplicas'],
    ['StatefulSet', STATEFUL_SETS, { replicas: 1, serviceName: 'web', ...own }, 'availableReplicas'],
    ['DaemonSet', DAEMON_SETS, own, 'numberAvailable'],
  ])('should be counted all the same by its %s', async (_, resource, spec, count) => {
    await cluster.kube.stop();
    cluster = await Cluster.start({ clock: behind });
    await cluster.create(resource, { metadata: { name: 'web' }, spec });
    await cluster.clock.advance(60_000);
    expect(cluster.status(resource, 'web')[count]).toBe(1);
  });
});
