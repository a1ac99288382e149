import type { ResourceId } from '../controller.js';
import { Cluster, PODS, selector, template } from './workloads.spec-support.js';

const DAEMON_SETS: ResourceId = { group: 'apps', plural: 'daemonsets' };
const NODES: ResourceId = { group: '', plural: 'nodes' };
let cluster: Cluster;
const agent = (spec: object = {}) => ({
  metadata: { name: 'agent' },
  spec: { selector, template: template(), ...spec },
});
const nodes = (): string[] =>
  cluster
    .names(PODS)
    .map((name) => cluster.spec(PODS, name).nodeName as string)
    .toSorted();
const setNode = (name: string, patch: object) => cluster.kube.client.patch(NODES, undefined, name, patch);

beforeEach(async () => {
  cluster = await Cluster.start({ pods: { nodes: 3 } });
});
afterEach(() => cluster.kube.stop());

describe('DaemonSetController', () => {
  it('should keep one pod on each node', async () => {
    await cluster.create(DAEMON_SETS, agent());
    await cluster.clock.advance(5000);
    expect(nodes()).toEqual(['embedded-kube', 'embedded-kube-2', 'embedded-kube-3']);
    await cluster.kube.client.delete(NODES, undefined, 'embedded-kube-3');
    await cluster.clock.advance(60_000);
    expect(nodes()).toEqual(['embedded-kube', 'embedded-kube-2']);
    expect(cluster.status(DAEMON_SETS, 'agent')).toMatchObject({
      currentNumberScheduled: 2,
      desiredNumberScheduled: 2,
      numberReady: 2,
      numberAvailable: 2,
      updatedNumberScheduled: 2,
      numberMisscheduled: 0,
      observedGeneration: 1,
    });
  });

  it('should follow labels and taints of nodes', async () => {
    const spec = { ...template().spec, nodeSelector: { disk: 'fast' } };
    await cluster.create(DAEMON_SETS, agent({ template: { ...template(), spec } }));
    await cluster.clock.advance(5000);
    expect(nodes()).toEqual([]);
    await setNode('embedded-kube', { metadata: { labels: { disk: 'fast' } } });
    await setNode('embedded-kube-2', {
      metadata: { labels: { disk: 'fast' } },
      spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
    });
    await cluster.clock.advance(5000);
    expect(nodes()).toEqual(['embedded-kube']);
    await setNode('embedded-kube', { metadata: { labels: { disk: 'slow' } } });
    await cluster.clock.advance(5000);
    expect(nodes()).toEqual([]);
  });

  it('should replace pods of an old template one after the other', async () => {
    await cluster.create(DAEMON_SETS, agent());
    await cluster.clock.advance(5000);
    let least = 3;
    const ready = (name: string): boolean =>
      cluster.status(PODS, name)?.phase === 'Running' && !cluster.get(PODS, name)?.metadata.deletionTimestamp;
    cluster.kube.client.watch(PODS, () => (least = Math.min(least, cluster.names(PODS).filter(ready).length)));
    await cluster.patch(DAEMON_SETS, 'agent', { spec: { template: template('agent:2') } });
    await cluster.clock.advance(20_000);
    expect(cluster.names(PODS).map((name) => cluster.spec(PODS, name).containers[0].image)).toEqual(
      Array(3).fill('agent:2'),
    );
    expect(least).toBe(2);
  });

  it('should create the new pod before the old one goes where a surge is allowed', async () => {
    await cluster.create(DAEMON_SETS, agent({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }));
    await cluster.clock.advance(5000);
    await cluster.patch(DAEMON_SETS, 'agent', { spec: { template: template('agent:2') } });
    await cluster.clock.advance(1);
    expect(cluster.names(PODS)).toHaveLength(4);
    await cluster.clock.advance(20_000);
    expect(cluster.names(PODS).map((name) => cluster.spec(PODS, name).containers[0].image)).toEqual(
      Array(3).fill('agent:2'),
    );
  });

  it('should replace a pod that has failed', async () => {
    await cluster.create(DAEMON_SETS, agent());
    await cluster.clock.advance(5000);
    const [name] = cluster.names(PODS);
    await cluster.patch(PODS, name, { status: { phase: 'Failed' } }, 'status');
    await cluster.clock.advance(5000);
    expect(cluster.get(PODS, name)).toBeUndefined();
    expect(nodes()).toHaveLength(3);
    expect(cluster.events('DaemonSet')).toContainEqual(
      expect.stringMatching(/^FailedDaemonPod: Found failed daemon pod/),
    );
  });
});
