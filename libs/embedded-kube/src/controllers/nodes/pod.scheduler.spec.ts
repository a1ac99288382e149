import { Cluster, PODS, template } from '../workloads/workloads.spec-support.js';

const NODES = { group: '', plural: 'nodes' };
let cluster: Cluster;
const create = (name: string, spec: object = {}) =>
  cluster.create(PODS, { metadata: { name }, spec: { ...template().spec, ...spec } });
const condition = (name: string) =>
  cluster.status(PODS, name).conditions.find(({ type }: { type: string }) => type === 'PodScheduled');
const requesting = (cpu: string) => ({
  containers: [{ name: 'main', image: 'web', resources: { requests: { cpu } } }],
});

beforeEach(async () => {
  cluster = await Cluster.start({ pods: { nodes: 2, events: true } });
});
afterEach(() => cluster.kube.stop());

describe('PodScheduler', () => {
  it('should spread pods over the nodes', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await create(name);
    await cluster.clock.advance(1000);
    const assigned = ['a', 'b', 'c', 'd'].map((name) => cluster.spec(PODS, name).nodeName as string);
    expect(assigned.toSorted()).toEqual(['embedded-kube', 'embedded-kube', 'embedded-kube-2', 'embedded-kube-2']);
    expect(cluster.events('Pod')).toContain(`Scheduled: Successfully assigned default/a to ${assigned[0]}`);
  });

  it('should hold a pod back that no node matches, until one does', async () => {
    await create('picky', { nodeSelector: { disk: 'fast' } });
    await cluster.clock.advance(1000);
    const message =
      "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. " +
      'preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';
    expect(condition('picky')).toMatchObject({ status: 'False', reason: 'Unschedulable', message });
    expect(cluster.events('Pod')).toEqual([`FailedScheduling: ${message}`]);
    await cluster.kube.client.patch(NODES, undefined, 'embedded-kube-2', { metadata: { labels: { disk: 'fast' } } });
    await cluster.clock.advance(1000);
    expect(cluster.spec(PODS, 'picky').nodeName).toBe('embedded-kube-2');
    expect(condition('picky')).toMatchObject({ status: 'True' });
  });

  it('should assign no more than a node has', async () => {
    for (const name of ['a', 'b', 'c']) await create(name, requesting('40'));
    await cluster.clock.advance(1000);
    expect(condition('c').message).toMatch(/^0\/2 nodes are available: 2 Insufficient cpu\./);
    await cluster.delete(PODS, 'a');
    await cluster.clock.advance(5000);
    expect(condition('c')).toMatchObject({ status: 'True' });
  });

  it('should leave cordoned and tainted nodes alone', async () => {
    await cluster.kube.client.patch(NODES, undefined, 'embedded-kube', { spec: { unschedulable: true } });
    await cluster.kube.client.patch(NODES, undefined, 'embedded-kube-2', {
      spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] },
    });
    await create('plain');
    await create('tolerant', { tolerations: [{ key: 'gpu', operator: 'Equal', value: 'yes' }] });
    await cluster.clock.advance(1000);
    expect(cluster.spec(PODS, 'plain').nodeName).toBeUndefined();
    expect(cluster.spec(PODS, 'tolerant').nodeName).toBe('embedded-kube-2');
  });
});
