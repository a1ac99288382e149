import { eventually } from '../../support/time/eventually.js';
import type { TestCluster } from '../test.cluster.js';
import { AccessClient, type Case } from './access.client.js';

const ADMIN = {};
const at = (namespace: string, plural: string): string => `/api/v1/namespaces/${namespace}/${plural}`;
const resources = (requests?: object, limits?: object) => ({
  ...(requests && { requests }),
  ...(limits && { limits }),
});
const container = (name: string, given: object = {}) => ({ name, image: 'nginx:1', resources: given });
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [container('a')], ...spec },
});
const forbidden = (name: string, message: string) => ({
  reason: 'Forbidden',
  message: `pods "${name}" is forbidden: ${message}`,
});

const LIMITS: readonly Case[] = [
  [
    'the requests and limits that are not there',
    ADMIN,
    'POST',
    at('limits', 'pods'),
    pod('a', {
      containers: [container('a'), container('b', resources({ cpu: '150m' }, { cpu: '200m' }))],
      initContainers: [container('i')],
    }),
    201,
    {
      metadata: {
        annotations: {
          'kubernetes.io/limit-ranger':
            'LimitRanger plugin set: cpu request for container a; cpu limit for container a; cpu request for init container i; cpu limit for init container i',
        },
      },
      spec: {
        containers: [
          { resources: { requests: { cpu: '200m' }, limits: { cpu: '300m' } } },
          { resources: { requests: { cpu: '150m' }, limits: { cpu: '200m' } } },
        ],
        initContainers: [{ resources: { requests: { cpu: '200m' }, limits: { cpu: '300m' } } }],
      },
    },
  ],
  [
    'less than the minimum',
    ADMIN,
    'POST',
    at('limits', 'pods'),
    pod('b', { containers: [container('a', resources({ cpu: '50m' }, { cpu: '60m' }))] }),
    403,
    forbidden('b', 'minimum cpu usage per Container is 100m, but request is 50m'),
  ],
  [
    'more than the maximum',
    ADMIN,
    'POST',
    at('limits', 'pods'),
    pod('b', { containers: [container('a', resources({ cpu: '0.5' }, { cpu: '2' }))] }),
    403,
    forbidden(
      'b',
      '[maximum cpu usage per Container is 1, but limit is 2, cpu max limit to request ratio per Container is 3, but provided ratio is 4.000000]',
    ),
  ],
  [
    'more than the maximum of all containers together',
    ADMIN,
    'POST',
    at('limits', 'pods'),
    pod('b', { containers: ['a', 'b', 'c'].map((name) => container(name, resources({ cpu: '1' }, { cpu: '1' }))) }),
    403,
    forbidden('b', 'maximum cpu usage per Pod is 2, but limit is 3'),
  ],
  [
    'a claim that is too large',
    ADMIN,
    'POST',
    at('limits', 'persistentvolumeclaims'),
    { metadata: { name: 'c' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } } },
    403,
    {
      message:
        'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
    },
  ],
];

const PRIORITIES: readonly Case[] = [
  [
    'no class',
    ADMIN,
    'POST',
    at('limits', 'pods?dryRun=All'),
    pod('p'),
    201,
    { spec: { priority: 0, preemptionPolicy: 'PreemptLowerPriority' } },
  ],
  [
    'a class',
    ADMIN,
    'POST',
    at('limits', 'pods?dryRun=All'),
    pod('p', { priorityClassName: 'high' }),
    201,
    { spec: { priority: 1000, preemptionPolicy: 'Never', priorityClassName: 'high' } },
  ],
  [
    'a class of every cluster',
    ADMIN,
    'POST',
    at('limits', 'pods?dryRun=All'),
    pod('p', { priorityClassName: 'system-node-critical' }),
    201,
    { spec: { priority: 2_000_001_000 } },
  ],
  [
    'an unknown class',
    ADMIN,
    'POST',
    at('limits', 'pods'),
    pod('p', { priorityClassName: 'none' }),
    403,
    forbidden('p', 'no PriorityClass with name none was found'),
  ],
  [
    'a priority without a class',
    ADMIN,
    'POST',
    at('limits', 'pods'),
    pod('p', { priority: 5 }),
    403,
    forbidden(
      'p',
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ),
  ],
  [
    'a runtime class',
    ADMIN,
    'POST',
    at('limits', 'pods?dryRun=All'),
    pod('p', { runtimeClassName: 'sandbox', nodeSelector: { a: 'b' } }),
    201,
    { spec: { overhead: { cpu: '10m' }, nodeSelector: { a: 'b', sandbox: 'yes' } } },
  ],
  [
    'an unknown runtime class',
    ADMIN,
    'POST',
    at('limits', 'pods'),
    pod('p', { runtimeClassName: 'none' }),
    403,
    forbidden('p', 'pod rejected: RuntimeClass "none" not found'),
  ],
  [
    'overhead without a runtime class',
    ADMIN,
    'POST',
    at('limits', 'pods'),
    pod('p', { overhead: { cpu: '1m' } }),
    403,
    forbidden('p', 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'),
  ],
];

const ACCOUNTS: readonly Case[] = [
  [
    'its token, in all containers',
    ADMIN,
    'POST',
    at('budgets', 'pods?dryRun=All'),
    pod('p', { initContainers: [container('i')] }),
    201,
    {
      spec: {
        serviceAccountName: 'default',
        volumes: [
          {
            name: expect.stringMatching(/^kube-api-access-/),
            projected: {
              defaultMode: 420,
              sources: [
                { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
                { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
                {
                  downwardAPI: {
                    items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
                  },
                },
              ],
            },
          },
        ],
        containers: [
          { volumeMounts: [{ readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
        ],
        initContainers: [{ volumeMounts: [{ readOnly: true }] }],
      },
    },
  ],
  [
    'its pull secrets',
    ADMIN,
    'POST',
    at('budgets', 'pods?dryRun=All'),
    pod('p', { serviceAccountName: 'puller' }),
    201,
    { spec: { serviceAccount: 'puller', imagePullSecrets: [{ name: 'registry' }] } },
  ],
  [
    'nothing that is not there',
    ADMIN,
    'POST',
    at('budgets', 'pods'),
    pod('p', { serviceAccountName: 'none' }),
    403,
    forbidden('p', 'error looking up service account budgets/none: serviceaccount "none" not found'),
  ],
];

const QUOTAS: readonly Case[] = [
  [
    'what a quota needs to know',
    ADMIN,
    'POST',
    at('quotas', 'pods'),
    pod('q', { containers: [container('b'), container('a')] }),
    403,
    forbidden('q', 'failed quota: compute: must specify limits.memory for: a,b; requests.cpu for: a,b'),
  ],
  [
    'what there is room for',
    ADMIN,
    'POST',
    at('quotas', 'pods'),
    pod('q', { containers: [container('a', resources({ cpu: '300m' }, { memory: '1Gi' }))] }),
    201,
    { kind: 'Pod' },
  ],
  [
    'what there is no room for',
    ADMIN,
    'POST',
    at('quotas', 'pods'),
    pod('r', { containers: [container('a', resources({ cpu: '800m' }, { memory: '1.5Gi' }))] }),
    403,
    forbidden(
      'r',
      'exceeded quota: compute, requested: limits.memory=1536Mi,requests.cpu=800m, used: limits.memory=1Gi,requests.cpu=300m, limited: limits.memory=2Gi,requests.cpu=1',
    ),
  ],
  [
    'a first object of a kind',
    ADMIN,
    'POST',
    at('quotas', 'secrets'),
    { metadata: { name: 'a' } },
    201,
    { kind: 'Secret' },
  ],
  [
    'one object too many',
    ADMIN,
    'POST',
    at('quotas', 'secrets'),
    { metadata: { name: 'b' } },
    403,
    {
      message:
        'secrets "b" is forbidden: exceeded quota: objects, requested: secrets=1, used: secrets=1, limited: secrets=1',
    },
  ],
  [
    'a service with node ports',
    ADMIN,
    'POST',
    at('quotas', 'services'),
    { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
    403,
    {
      message:
        'services "s" is forbidden: exceeded quota: objects, requested: services.nodeports=1, used: services.nodeports=0, limited: services.nodeports=0',
    },
  ],
  [
    'a kind of a group',
    ADMIN,
    'POST',
    '/apis/coordination.k8s.io/v1/namespaces/quotas/leases',
    { metadata: { name: 'l' } },
    403,
    {
      message:
        'leases.coordination.k8s.io "l" is forbidden: exceeded quota: objects, requested: count/leases.coordination.k8s.io=1, used: count/leases.coordination.k8s.io=0, limited: count/leases.coordination.k8s.io=0',
    },
  ],
];

/** Declares the tests of what limits pods and other objects for the administrator of a cluster whose pods nobody runs. */
export function describeLimits(title: string, start: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: TestCluster;
    let client: AccessClient;
    const addNamespace = async (name: string): Promise<void> => {
      await client.create('/api/v1/namespaces', { metadata: { name } });
      await client.send('POST', at(name, 'serviceaccounts'), { metadata: { name: 'default' } });
    };
    const quota = async (name: string) => (await client.send('GET', at('quotas', `resourcequotas/${name}`))).body;
    const counted = (name: string) =>
      eventually(`the quota ${name} is counted`, async () => (await quota(name)).status?.used as object | undefined);

    beforeAll(async () => {
      cluster = await start();
      client = new AccessClient(cluster.credentials);
      for (const name of ['limits', 'quotas', 'budgets']) await addNamespace(name);
      await client.create(at('budgets', 'serviceaccounts'), {
        metadata: { name: 'puller' },
        automountServiceAccountToken: false,
        imagePullSecrets: [{ name: 'registry' }],
      });
      const limits = [
        {
          type: 'Container',
          min: { cpu: '100m' },
          max: { cpu: '1' },
          default: { cpu: '300m' },
          defaultRequest: { cpu: '200m' },
          maxLimitRequestRatio: { cpu: '3' },
        },
        { type: 'Pod', max: { cpu: '2' } },
        { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } },
      ];
      await client.create(at('limits', 'limitranges'), { metadata: { name: 'limits' }, spec: { limits } });
      const high = { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' };
      await client.create('/apis/scheduling.k8s.io/v1/priorityclasses', high);
      const sandbox = {
        handler: 'x',
        overhead: { podFixed: { cpu: '10m' } },
        scheduling: { nodeSelector: { sandbox: 'yes' } },
      };
      await client.create('/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'sandbox' }, ...sandbox });
      const compute = { hard: { 'requests.cpu': '1', 'limits.memory': '2Gi', pods: '2' } };
      await client.create(at('quotas', 'resourcequotas'), { metadata: { name: 'compute' }, spec: compute });
      const objects = { hard: { secrets: '1', 'services.nodeports': '0', 'count/leases.coordination.k8s.io': '0' } };
      await client.create(at('quotas', 'resourcequotas'), { metadata: { name: 'objects' }, spec: objects });
      await counted('compute');
      await counted('objects');
    }, 120_000);
    afterAll(async () => {
      await client?.close();
      await cluster?.stop();
    }, 60_000);

    it.each(LIMITS)('should keep to the limits of the namespace: %s', (...each) => client.check(each));
    it.each(PRIORITIES)('should give pods what their classes say: %s', (...each) => client.check(each));
    it.each(ACCOUNTS)('should give pods what their account has: %s', (...each) => client.check(each));

    it('should give pods no token where they, or else their account, say so', async () => {
      const path = at('budgets', 'pods?dryRun=All');
      const volumesOf = async (spec: object) => (await client.send('POST', path, pod('p', spec))).body.spec.volumes;
      expect(await volumesOf({ automountServiceAccountToken: false })).toBeUndefined();
      expect(await volumesOf({ serviceAccountName: 'puller' })).toBeUndefined();
      expect(await volumesOf({ serviceAccountName: 'puller', automountServiceAccountToken: true })).toHaveLength(1);
    });

    it.each(QUOTAS)('should keep to the quotas of the namespace: %s', (...each) => client.check(each));

    it('should count what quotas limit, also when it goes', async () => {
      expect((await quota('compute')).status).toEqual({
        hard: { 'limits.memory': '2Gi', pods: '2', 'requests.cpu': '1' },
        used: { 'limits.memory': '1Gi', pods: '1', 'requests.cpu': '300m' },
      });
      await client.send('DELETE', at('quotas', 'pods/q'));
      await eventually('nothing is used', async () => (await quota('compute')).status.used.pods === '0');
      expect((await quota('compute')).status.used).toEqual({ 'limits.memory': '0', pods: '0', 'requests.cpu': '0' });
    });

    it('should count pods in the scope of a quota only', async () => {
      const hard = { pods: '1' };
      const scopes = ['BestEffort'];
      await client.create(at('budgets', 'resourcequotas'), { metadata: { name: 'best' }, spec: { hard, scopes } });
      const used = async () => (await client.send('GET', at('budgets', 'resourcequotas/best'))).body.status?.used?.pods;
      await eventually('the quota is counted', async () => (await used()) === '0');
      const full = { containers: [container('a', resources({ cpu: '1' }))] };
      await client.create(at('budgets', 'pods'), pod('guarded', full, { labels: { app: 'guarded' } }));
      expect(await used()).toBe('0');
      await client.create(at('budgets', 'pods'), pod('plain'));
      expect(await used()).toBe('1');
      const { status, body } = await client.send('POST', at('budgets', 'pods'), pod('more'));
      expect([status, body.message]).toEqual([
        403,
        'pods "more" is forbidden: exceeded quota: best, requested: pods=1, used: pods=1, limited: pods=1',
      ]);
    });

    it('should evict pods as far as their budget allows', async () => {
      const budgets = '/apis/policy/v1/namespaces/budgets/poddisruptionbudgets';
      const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await client.send('PATCH', at('budgets', 'pods/guarded/status'), { status: ready });
      const selector = { matchLabels: { app: 'guarded' } };
      await client.create(budgets, { metadata: { name: 'b' }, spec: { minAvailable: 1, selector } });
      const evict = () =>
        client.send('POST', at('budgets', 'pods/guarded/eviction'), { metadata: { name: 'guarded' } });
      // The controller of budgets says the same, where there is one.
      const state = {
        observedGeneration: 1,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
        disruptionsAllowed: 0,
      };
      await client.send('PATCH', `${budgets}/b/status`, { status: state });
      const refused = await eventually('the budget is known', async () => {
        const answer = await evict();
        return answer.body.details.causes[0].message.includes('needs') && answer;
      });
      expect(refused).toMatchObject({
        status: 429,
        body: {
          reason: 'TooManyRequests',
          message: "Cannot evict pod as it would violate the pod's disruption budget.",
          details: {
            causes: [
              {
                reason: 'DisruptionBudget',
                message: 'The disruption budget b needs 1 healthy pods and has 1 currently',
              },
            ],
          },
        },
      });
      await client.send('DELETE', `${budgets}/b`);
      expect(await evict()).toMatchObject({ status: 201, body: { status: 'Success' } });
    });
  });
}
