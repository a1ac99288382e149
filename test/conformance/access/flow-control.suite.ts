import { eventually } from '../../support/time/eventually.js';
import { HttpsSide } from '../https.side.js';
import type { TestCluster } from '../test.cluster.js';

const FLOWS = '/apis/flowcontrol.apiserver.k8s.io/v1';
const SCHEMA_HEADER = 'x-kubernetes-pf-flowschema-uid';
const LEVEL_HEADER = 'x-kubernetes-pf-prioritylevel-uid';
const PODS = '/api/v1/namespaces/default/pods';

const as = (user: string, group?: string): Record<string, string> => ({
  'impersonate-user': user,
  ...(group && { 'impersonate-group': group }),
});

/** Requests, with the flow schema and the priority level of each. */
const REQUESTS: readonly [
  title: string,
  headers: Record<string, string>,
  method: string,
  path: string,
  schema: string,
  level: string,
][] = [
  ['an administrator', {}, 'GET', PODS, 'exempt', 'exempt'],
  ['a path that there is not', {}, 'GET', '/nope', 'exempt', 'exempt'],
  ['an unknown method', {}, 'LINK', '/api/v1/namespaces/default/configmaps/x', 'exempt', 'exempt'],
  ['a probe', as('bob'), 'GET', '/readyz', 'probes', 'exempt'],
  ['a forbidden request', as('bob'), 'GET', PODS, 'global-default', 'global-default'],
  ['nobody', as('system:anonymous'), 'GET', '/api', 'global-default', 'global-default'],
  ['a service account', as('system:serviceaccount:default:x'), 'GET', PODS, 'service-accounts', 'workload-low'],
  [
    'a service account of the system',
    as('system:serviceaccount:kube-system:x'),
    'GET',
    PODS,
    'kube-system-service-accounts',
    'workload-high',
  ],
  ['the scheduler', as('system:kube-scheduler'), 'GET', PODS, 'kube-scheduler', 'workload-high'],
  [
    'a leader',
    as('system:kube-scheduler'),
    'GET',
    '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x',
    'system-leader-election',
    'leader-election',
  ],
  ['a node', as('system:node:a', 'system:nodes'), 'GET', PODS, 'system-nodes', 'system'],
  [
    'the status of a node',
    as('system:node:a', 'system:nodes'),
    'GET',
    '/api/v1/nodes/a/status',
    'system-node-high',
    'node-high',
  ],
];

/** Describes how requests are sorted into flow schemas, and how those stand to their priority levels. */
export function describeFlowControl(name: string, startCluster: () => Promise<TestCluster>): void {
  describe(name, () => {
    let cluster: TestCluster;
    let side: HttpsSide;

    const read = async (path: string) => JSON.parse((await side.send({ method: 'GET', path })).text);
    const write = (method: string, path: string, body?: unknown) =>
      side.send({ method, path: `${FLOWS}/${path}?fieldManager=tester`, body });
    const schema = (level: string) => ({
      metadata: { name: 'tested' },
      spec: {
        priorityLevelConfiguration: { name: level },
        matchingPrecedence: 50,
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'carol' } }],
            resourceRules: [
              { verbs: ['get'], apiGroups: [''], resources: ['namespaces', 'configmaps'], namespaces: ['tested'] },
            ],
            nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/tested/*'] }],
          },
        ],
      },
    });
    const uids = async (plural: string): Promise<Map<string, string>> => {
      const { items } = await read(`${FLOWS}/${plural}`);
      return new Map(items.map(({ metadata }: any) => [metadata.uid, metadata.name]));
    };
    const names = async (headers: NodeJS.Dict<string | string[]>) => [
      (await uids('flowschemas')).get(String(headers[SCHEMA_HEADER])),
      (await uids('prioritylevelconfigurations')).get(String(headers[LEVEL_HEADER])),
    ];
    const dangling = async (): Promise<any> => (await read(`${FLOWS}/flowschemas/tested`)).status?.conditions?.[0];

    beforeAll(async () => {
      cluster = await startCluster();
      const { server, token } = cluster.credentials;
      side = new HttpsSide(server, token!);
    });

    afterAll(async () => {
      side?.close();
      await cluster?.stop();
    });

    it.each(REQUESTS)('should name the flow of %s', async (_, headers, method, path, ...flow) => {
      const answer = await side.send({ method, path, headers });
      expect(await names(answer.headers)).toEqual(flow);
    });

    it.each([
      ['a wrong token', '/api/v1/pods', { authorization: 'Bearer x' }, 401],
      ['a log', `${PODS}/x/log`, {}, 404],
      ['an unreadable timeout, before the token is looked at', '/api?timeout=x', { authorization: 'Bearer x' }, 400],
    ])('should name no flow of %s', async (_, path, headers, status) => {
      const answer = await side.send({ method: 'GET', path, headers: headers as Record<string, string> });
      expect([answer.status, answer.headers[SCHEMA_HEADER]]).toEqual([status, undefined]);
    });

    it('should have the objects that belong to every cluster', async () => {
      const { items } = await read(`${FLOWS}/flowschemas`);
      const columns = items.map(({ metadata: { name: each }, spec, status }: any) =>
        [each, spec.priorityLevelConfiguration.name, spec.matchingPrecedence, status.conditions[0].status].join(' '),
      );
      expect(columns).toEqual([
        'catch-all catch-all 10000 False',
        'exempt exempt 1 False',
        'global-default global-default 9900 False',
        'kube-controller-manager workload-high 800 False',
        'kube-scheduler workload-high 800 False',
        'kube-system-service-accounts workload-high 900 False',
        'probes exempt 2 False',
        'service-accounts workload-low 9000 False',
        'system-leader-election leader-election 100 False',
        'system-node-high node-high 400 False',
        'system-nodes system 500 False',
      ]);
      expect(items[0].metadata.managedFields.map(({ manager }: any) => manager)).toEqual([
        'api-priority-and-fairness-config-consumer-v1',
        'api-priority-and-fairness-config-producer-v1',
      ]);
    });

    it('should tell of a schema whether its priority level is there, and use it only then', async () => {
      const flowOf = async (path: string, user = 'carol') =>
        (await names((await side.send({ method: 'GET', path, headers: as(user) })).headers))[0];
      expect((await write('POST', 'flowschemas', schema('missing'))).status).toBe(201);
      await eventually('the schema dangles', async () => (await dangling())?.status === 'True');
      expect(await dangling()).toMatchObject({
        type: 'Dangling',
        reason: 'NotFound',
        message:
          'This FlowSchema references the PriorityLevelConfiguration object named "missing" but there is no such object',
      });
      expect(await flowOf('/api/v1/namespaces/tested')).toBe('global-default');

      const level = {
        metadata: { name: 'missing' },
        spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
      };
      expect((await write('POST', 'prioritylevelconfigurations', level)).status).toBe(201);
      await eventually('the level is found', async () => (await dangling())?.status === 'False');
      await eventually('the schema is used', async () => (await flowOf('/api/v1/namespaces/tested')) === 'tested');
      const flows = [
        await flowOf('/api/v1/namespaces/tested/configmaps/x'),
        await flowOf('/api/v1/namespaces/other/configmaps/x'),
        await flowOf('/api/v1/namespaces/tested/configmaps'),
        await flowOf('/tested/a/b'),
        await flowOf('/tested'),
        await flowOf('/api/v1/namespaces/tested', 'dora'),
      ];
      expect(flows).toEqual([
        'tested',
        'global-default',
        'global-default',
        'tested',
        'global-default',
        'global-default',
      ]);

      const { metadata, status } = await read(`${FLOWS}/flowschemas/tested`);
      expect(status.conditions).toHaveLength(1);
      expect(metadata.managedFields.map((each: any) => [each.manager, each.operation, each.subresource])).toEqual([
        ['api-priority-and-fairness-config-consumer-v1', 'Apply', 'status'],
        ['tester', 'Update', undefined],
      ]);
      await write('DELETE', 'prioritylevelconfigurations/missing');
      await eventually('the schema dangles again', async () => (await dangling())?.reason === 'NotFound');
      await write('DELETE', 'flowschemas/tested');
    });
  });
}
