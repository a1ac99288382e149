import { setImmediate as immediate } from 'node:timers/promises';
import { VirtualClock } from '../../../../test/support/time/virtual.clock.js';
import { EmbeddedKube } from '../embedded-kube.js';
import type { EmbeddedKubeOptions } from '../embedded-kube.options.js';
import type { KubeObject, OwnerReference } from '../resources/kube-object.js';
import { SeededRandom } from 'kube-common';

const CONFIG_MAPS = { group: '', plural: 'configmaps' };
const DEFINITIONS = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };
const NAMESPACES = { group: '', plural: 'namespaces' };
const PODS = { group: '', plural: 'pods' };
const CLAIMS = { group: '', plural: 'persistentvolumeclaims' };
const VOLUMES = { group: '', plural: 'persistentvolumes' };
const JOBS = { group: 'batch', plural: 'jobs' };

interface Status {
  readonly phase?: string;
  readonly conditions?: { type: string; status: string; reason: string; message: string }[];
  readonly containerStatuses?: { ready: boolean; restartCount: number; state: Record<string, { exitCode?: number }> }[];
  readonly [field: string]: unknown;
}

let kube: EmbeddedKube;
let clock: VirtualClock;

const start = async (options: EmbeddedKubeOptions = {}): Promise<void> => {
  clock = new VirtualClock();
  kube = await EmbeddedKube.start({ port: false, clock, random: new SeededRandom(1), ...options });
};
const statusOf = (object: KubeObject | undefined): Status => (object?.status ?? {}) as Status;
const createMap = (name: string, metadata: object = {}, namespace = 'default'): Promise<KubeObject> =>
  kube.client.create(CONFIG_MAPS, namespace, { metadata: { name, ...metadata } });
const ownedBy = ({ metadata }: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference[] => [
  { apiVersion: 'v1', kind: 'ConfigMap', name: metadata.name!, uid: metadata.uid!, ...more },
];
const mapNames = (namespace = 'default'): (string | undefined)[] =>
  kube.client.list(CONFIG_MAPS, namespace).map(({ metadata }) => metadata.name);

afterEach(() => kube.stop());

describe('GarbageCollector', () => {
  beforeEach(() => start());

  it('should delete the dependants of a deleted owner, and theirs', async () => {
    const owner = await createMap('owner');
    const child = await createMap('child', { ownerReferences: ownedBy(owner) });
    await createMap('grandchild', { ownerReferences: ownedBy(child) });
    await createMap('stranger');
    await kube.client.delete(CONFIG_MAPS, 'default', 'owner');
    await clock.settle();
    expect(mapNames()).toEqual(['stranger']);
  });

  it.each([
    ['that is not there', { uid: 'none' }],
    ['of another uid', { uid: 'other', name: 'owner' }],
  ])('should delete a new object with an owner %s', async (_name, reference) => {
    const owner = await createMap('owner');
    await createMap('child', { ownerReferences: ownedBy(owner, reference) });
    await clock.settle();
    expect(mapNames()).toEqual(['owner']);
  });

  it('should keep an object that has an owner left, without the reference to the one that went', async () => {
    const [first, second] = [await createMap('first'), await createMap('second')];
    await createMap('child', { ownerReferences: [...ownedBy(first), ...ownedBy(second)] });
    await kube.client.delete(CONFIG_MAPS, 'default', 'first');
    await clock.settle();
    const child = kube.client.get(CONFIG_MAPS, 'default', 'child');
    expect(child?.metadata.ownerReferences).toEqual(ownedBy(second));
  });

  it('should not take an owner for gone whose kind nobody serves', async () => {
    const owner = await createMap('owner');
    await createMap('child', { ownerReferences: ownedBy(owner, { apiVersion: 'none.dev/v1', kind: 'None' }) });
    await clock.settle();
    expect(mapNames()).toContain('child');
  });

  it('should delete the dependants of custom resources whose definition is deleted', async () => {
    const names = { kind: 'Owner', plural: 'owners', singular: 'owner' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    await kube.client.create(DEFINITIONS, undefined, {
      metadata: { name: 'owners.kopf.dev' },
      spec: { group: 'kopf.dev', scope: 'Namespaced', names, versions },
    });
    await clock.advance(1000);
    const owner = await kube.client.create({ group: 'kopf.dev', plural: 'owners' }, 'default', {
      metadata: { name: 'o' },
    });
    const reference = { apiVersion: 'kopf.dev/v1', kind: 'Owner' };
    await createMap('child', { ownerReferences: ownedBy(owner, reference) });
    await clock.settle();
    expect(mapNames()).toEqual(['child']);
    await kube.client.delete(DEFINITIONS, undefined, 'owners.kopf.dev');
    await clock.advance(1000);
    expect(mapNames()).toEqual([]);
  });

  it('should take an owner in another namespace for gone', async () => {
    const owner = await createMap('owner', {}, 'kube-public');
    await createMap('child', { ownerReferences: ownedBy(owner) });
    await clock.settle();
    expect(mapNames()).toEqual([]);
  });

  it('should orphan the dependants where the deletion says so', async () => {
    const owner = await createMap('owner');
    await createMap('child', { ownerReferences: ownedBy(owner) });
    await kube.client.delete(CONFIG_MAPS, 'default', 'owner', { propagationPolicy: 'Orphan' });
    await clock.settle();
    expect(mapNames()).toEqual(['child']);
    expect(kube.client.get(CONFIG_MAPS, 'default', 'child')?.metadata.ownerReferences).toBeUndefined();
  });

  it('should get to each object after a delay of its own', async () => {
    await kube.stop();
    const delays = [3, 1];
    await start({ garbageCollectionDelay: () => delays.shift() ?? 0 });
    const [first, second] = [await createMap('first'), await createMap('second')];
    await kube.client.delete(CONFIG_MAPS, 'default', 'first');
    await kube.client.delete(CONFIG_MAPS, 'default', 'second');
    await createMap('late', { ownerReferences: ownedBy(first) });
    await createMap('early', { ownerReferences: ownedBy(second) });
    await clock.advance(900);
    expect(mapNames()).toEqual(['early', 'late']);
    await clock.advance(100);
    expect(mapNames()).toEqual(['late']);
    await clock.advance(2000);
    expect(mapNames()).toEqual([]);
  });

  it('should keep an owner that is deleted in the foreground until the collector has got to its dependants', async () => {
    await kube.stop();
    await start({ garbageCollectionDelay: () => 1 });
    const owner = await createMap('owner');
    await createMap('child', { ownerReferences: ownedBy(owner, { blockOwnerDeletion: true }) });
    await clock.advance(1000);
    await kube.client.delete(CONFIG_MAPS, 'default', 'owner', { propagationPolicy: 'Foreground' });
    await clock.advance(1000);
    expect(mapNames()).toEqual(['child', 'owner']);
    await clock.advance(1000);
    expect(mapNames()).toEqual(['owner']);
    await clock.advance(1000);
    expect(mapNames()).toEqual([]);
  });

  it('should delete objects in the foreground that own each other in a circle', async () => {
    const names = ['a', 'b', 'c'];
    const created = await Promise.all(names.map((name) => createMap(name)));
    for (const [index, name] of names.entries()) {
      const ownerReferences = ownedBy(created[(index + 1) % 3]!, { blockOwnerDeletion: true });
      await kube.client.patch(CONFIG_MAPS, 'default', name, { metadata: { ownerReferences } });
    }
    await kube.client.delete(CONFIG_MAPS, 'default', 'a', { propagationPolicy: 'Foreground' });
    await clock.settle();
    expect(mapNames()).toEqual([]);
  });

  it('should delete objects of a circle all of which are deleted in the foreground', async () => {
    const [a, b] = [await createMap('a'), await createMap('b')];
    const blocking = { blockOwnerDeletion: true };
    await kube.client.patch(CONFIG_MAPS, 'default', 'a', { metadata: { ownerReferences: ownedBy(b, blocking) } });
    await kube.client.patch(CONFIG_MAPS, 'default', 'b', { metadata: { ownerReferences: ownedBy(a, blocking) } });
    await kube.client.delete(CONFIG_MAPS, 'default', 'a', { propagationPolicy: 'Foreground' });
    await kube.client.delete(CONFIG_MAPS, 'default', 'b', { propagationPolicy: 'Foreground' });
    await clock.settle();
    await kube.client.patch(CONFIG_MAPS, 'default', 'a', { metadata: { ownerReferences: null } });
    await clock.settle();
    expect(mapNames()).toEqual([]);
  });

  it('should delete an owner in the foreground once its dependant has let it go', async () => {
    const owner = await createMap('owner');
    const reference = { blockOwnerDeletion: true };
    await createMap('child', { ownerReferences: ownedBy(owner, reference), finalizers: ['kopf.dev/marker'] });
    await kube.client.delete(CONFIG_MAPS, 'default', 'owner', { propagationPolicy: 'Foreground' });
    await clock.settle();
    expect(mapNames()).toEqual(['child', 'owner']);
    await kube.client.patch(CONFIG_MAPS, 'default', 'child', { metadata: { ownerReferences: null } });
    await clock.settle();
    expect(mapNames()).toEqual(['child']);
  });

  it('should delete an owner in the foreground after the dependants that block it', async () => {
    const owner = await createMap('owner');
    const reference = { blockOwnerDeletion: true };
    await createMap('child', { ownerReferences: ownedBy(owner, reference), finalizers: ['kopf.dev/marker'] });
    await kube.client.delete(CONFIG_MAPS, 'default', 'owner', { propagationPolicy: 'Foreground' });
    await clock.settle();
    expect(mapNames()).toEqual(['child', 'owner']);
    await kube.client.patch(CONFIG_MAPS, 'default', 'child', { metadata: { finalizers: null } });
    await clock.settle();
    expect(mapNames()).toEqual([]);
  });

  it('should leave no timer behind', async () => {
    const owner = await createMap('owner');
    await createMap('child', { ownerReferences: ownedBy(owner) });
    const before = clock.pending;
    await kube.client.delete(CONFIG_MAPS, 'default', 'owner');
    await clock.settle();
    expect(clock.pending).toBe(before);
  });
});

describe('NamespaceController', () => {
  beforeEach(async () => {
    await start();
    await kube.client.create(NAMESPACES, undefined, { metadata: { name: 'team' } });
  });

  it('should empty a deleted namespace and let it go', async () => {
    await createMap('one', {}, 'team');
    await kube.client.create(CLAIMS, 'team', {
      metadata: { name: 'claim' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await kube.client.delete(NAMESPACES, undefined, 'team');
    await clock.advance(100);
    expect(kube.client.get(NAMESPACES, undefined, 'team')).toBeUndefined();
    expect(mapNames('team')).toEqual([]);
  });

  it('should show that a namespace is terminating, and take the pods away first', async () => {
    await createMap('one', {}, 'team');
    const finalizers = ['kopf.dev/marker'];
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await kube.client.create(PODS, 'team', { metadata: { name: 'pod', finalizers }, spec });
    await kube.client.delete(NAMESPACES, undefined, 'team');
    expect(statusOf(kube.client.get(NAMESPACES, undefined, 'team')).phase).toBe('Terminating');
    await clock.advance(1000);
    expect(mapNames('team')).toContain('one');
    await kube.client.patch(PODS, 'team', 'pod', { metadata: { finalizers: null } });
    await clock.advance(1000);
    expect(mapNames('team')).toEqual([]);
    expect(kube.client.get(NAMESPACES, undefined, 'team')).toBeUndefined();
  });

  it('should say what is left, and wait for it', async () => {
    await createMap('one', { finalizers: ['kopf.dev/marker'] }, 'team');
    await kube.client.delete(NAMESPACES, undefined, 'team');
    await clock.advance(100);
    const { phase, conditions } = statusOf(kube.client.get(NAMESPACES, undefined, 'team'));
    expect(phase).toBe('Terminating');
    expect(conditions?.filter(({ status }) => status === 'True').map(({ message }) => message)).toEqual([
      'Some resources are remaining: configmaps. has 1 resource instances',
      'Some content in the namespace has finalizers remaining: kopf.dev/marker in 1 resource instances',
    ]);
    await kube.client.patch(CONFIG_MAPS, 'team', 'one', { metadata: { finalizers: null } });
    await clock.settle(5);
    expect(kube.client.get(NAMESPACES, undefined, 'team')).toBeUndefined();
  });
});

describe('Controllers', () => {
  it('should let others have their turn while they make a hundred pods', async () => {
    await start({ pods: { startSeconds: 0 } });
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web' }] } };
    const running = new Set<string>();
    kube.client.watch(PODS, ({ object: pod }) => {
      if (statusOf(pod).phase === 'Running') running.add(pod.metadata.name!);
    });
    let written = 0;
    kube.client.watch('all', () => {
      written += 1;
      clock.block(1);
    });
    const replicas = { metadata: { name: 'web' }, spec: { replicas: 100, template } };
    await kube.client.create({ group: '', plural: 'replicationcontrollers' }, 'default', replicas);
    const inOneTurn: number[] = [];
    while (running.size < 100) {
      written = 0;
      await immediate();
      inOneTurn.push(written);
    }
    expect(Math.max(...inOneTurn)).toBeLessThan(50);
  });
});

describe('PodSimulator', () => {
  it('should let a pod run whose annotation is no number of seconds', async () => {
    await start({ pods: true });
    const annotations = { 'embedded-kube/run-seconds': 'soon' };
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await kube.client.create(PODS, 'default', { metadata: { name: 'p', annotations }, spec });
    await clock.advance(1000);
    const [container] = statusOf(kube.client.get(PODS, 'default', 'p')).containerStatuses!;
    expect(container).toMatchObject({ restartCount: 0, ready: true });
  });

  beforeEach(() => start({ pods: { startSeconds: 2, stopSeconds: 5, jobSeconds: 10 } }));

  const createPod = (spec: object = {}, annotations: object = {}): Promise<KubeObject> =>
    kube.client.create(PODS, 'default', {
      metadata: { name: 'pod', annotations },
      spec: { containers: [{ name: 'main', image: 'busybox' }], ...spec },
    });
  const pod = (): KubeObject | undefined => kube.client.get(PODS, 'default', 'pod');

  it('should take a pod to its node and to running', async () => {
    await createPod();
    await clock.advance(1000);
    expect(statusOf(pod()).phase).toBe('Pending');
    expect(pod()?.spec).toMatchObject({ nodeName: 'embedded-kube' });
    await clock.advance(2000);
    const { phase, conditions, containerStatuses, podIP } = statusOf(pod());
    expect([phase, podIP]).toEqual(['Running', expect.stringMatching(/^10\.244\./)]);
    expect(conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    expect(containerStatuses).toMatchObject([{ ready: true, state: { running: {} } }]);
  });

  it.each([
    ['0', 'Succeeded', 'Completed'],
    ['3', 'Failed', 'Error'],
  ])('should end a pod that exits with %s as %s', async (exitCode, phase, reason) => {
    const annotations = { 'embedded-kube/run-seconds': '30', 'embedded-kube/exit-code': exitCode };
    await createPod({ restartPolicy: 'Never' }, annotations);
    await clock.advance(20_000);
    expect(statusOf(pod()).phase).toBe('Running');
    await clock.advance(20_000);
    expect(statusOf(pod())).toMatchObject({
      phase,
      containerStatuses: [{ state: { terminated: { exitCode: Number(exitCode), reason } } }],
    });
  });

  it('should end a running pod once an annotation says so', async () => {
    await createPod({ restartPolicy: 'Never' });
    await clock.advance(60_000);
    expect(statusOf(pod()).phase).toBe('Running');
    await kube.client.patch(PODS, 'default', 'pod', {
      metadata: { annotations: { 'embedded-kube/run-seconds': '0' } },
    });
    await clock.settle();
    expect(statusOf(pod()).phase).toBe('Succeeded');
  });

  it('should restart a container that its policy keeps running', async () => {
    await createPod({ restartPolicy: 'Always' }, { 'embedded-kube/run-seconds': '30' });
    await clock.advance(40_000);
    expect(statusOf(pod())).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 1 }] });
  });

  it('should let a deleted pod go after a while', async () => {
    await createPod();
    await clock.advance(5000);
    await kube.client.delete(PODS, 'default', 'pod');
    await clock.advance(4000);
    expect(pod()?.metadata.deletionTimestamp).toBeDefined();
    await clock.advance(2000);
    expect(pod()).toBeUndefined();
  });

  it('should run the pods of a job to its completion', async () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } };
    await kube.client.create(JOBS, 'default', {
      metadata: { name: 'job' },
      spec: { completions: 3, parallelism: 2, template },
    });
    const job = (): Status => statusOf(kube.client.get(JOBS, 'default', 'job'));
    await clock.advance(5000);
    expect(job()).toMatchObject({ active: 2, ready: 2 });
    await clock.advance(30_000);
    expect(job()).toMatchObject({ succeeded: 3, completionTime: expect.any(String) });
    expect(job().conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet', 'Complete']);
    await kube.client.delete(JOBS, 'default', 'job', { propagationPolicy: 'Background' });
    await clock.advance(10_000);
    expect(kube.client.list(PODS)).toEqual([]);
  });

  it('should fail a job whose pods fail too often', async () => {
    const metadata = { annotations: { 'embedded-kube/exit-code': '1', 'embedded-kube/run-seconds': '1' } };
    const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] };
    await kube.client.create(JOBS, 'default', {
      metadata: { name: 'job' },
      spec: { backoffLimit: 1, template: { metadata, spec } },
    });
    await clock.advance(60_000);
    const { failed, conditions } = statusOf(kube.client.get(JOBS, 'default', 'job'));
    expect(failed).toBe(2);
    expect(conditions?.find(({ type }) => type === 'Failed')).toMatchObject({ reason: 'BackoffLimitExceeded' });
  });
});

describe('volumes', () => {
  const createClaim = (): Promise<KubeObject> =>
    kube.client.create(CLAIMS, 'default', {
      metadata: { name: 'claim' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  const claim = (): KubeObject | undefined => kube.client.get(CLAIMS, 'default', 'claim');

  it('should bind a claim to a volume, let both grow, and delete both', async () => {
    await start({ pods: true });
    await createClaim();
    await clock.settle(5);
    expect(statusOf(claim())).toMatchObject({ phase: 'Bound', capacity: { storage: '1Gi' } });
    await kube.client.patch(CLAIMS, 'default', 'claim', { spec: { resources: { requests: { storage: '2Gi' } } } });
    await clock.settle(5);
    expect(statusOf(claim()).capacity).toEqual({ storage: '2Gi' });
    expect(kube.client.list(VOLUMES)[0].spec).toMatchObject({ capacity: { storage: '2Gi' } });
    await kube.client.delete(CLAIMS, 'default', 'claim');
    await clock.settle(5);
    expect([claim(), kube.client.list(VOLUMES)]).toEqual([undefined, []]);
  });

  it('should keep a deleted claim as long as a pod uses it', async () => {
    await start({ pods: true });
    await createClaim();
    await kube.client.create(PODS, 'default', {
      metadata: { name: 'user' },
      spec: {
        containers: [{ name: 'main', image: 'busybox' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'claim' } }],
      },
    });
    await clock.advance(1000);
    await kube.client.delete(CLAIMS, 'default', 'claim');
    await clock.advance(1000);
    expect(claim()?.metadata.deletionTimestamp).toBeDefined();
    await kube.client.delete(PODS, 'default', 'user');
    await clock.advance(1000);
    expect(claim()).toBeUndefined();
  });
});
