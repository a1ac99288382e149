import { eventually } from '../../support/time/eventually.js';
import type { TestCluster } from '../test.cluster.js';
import { AccessClient, type Case, type Headers } from './access.client.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const WHOAMI = `${AUTHENTICATION}/selfsubjectreviews`;
const TOKENS = '/api/v1/namespaces/access/serviceaccounts/robot/token';

const as = (user: string, ...groups: string[]): Headers => ({
  'impersonate-user': user,
  ...(groups.length > 0 && { 'impersonate-group': groups.join('\n') }),
});

const REFUSED = (who: string, verb: string, resource: string, scope = 'at the cluster scope', group = ''): string =>
  `User "${who}" cannot ${verb} resource "${resource}" in API group "${group}" ${scope}`;
const invalid = (field: string, detail: string) => ({
  reason: 'Invalid',
  message: `.authorization.k8s.io "" is invalid: ${field}: ${detail}`,
});

const IMPERSONATION: readonly Case[] = [
  [
    'a user',
    as('bob'),
    'POST',
    WHOAMI,
    {},
    201,
    { status: { userInfo: { username: 'bob', groups: ['system:authenticated'] } } },
  ],
  [
    'all of a user',
    { ...as('bob', 'dev'), 'impersonate-uid': 'u1', 'impersonate-extra-acme.com%2fteam': 'red' },
    'POST',
    WHOAMI,
    {},
    201,
    {
      status: {
        userInfo: {
          username: 'bob',
          uid: 'u1',
          groups: ['dev', 'system:authenticated'],
          extra: { 'acme.com/team': ['red'] },
        },
      },
    },
  ],
  [
    'a service account with its groups',
    as('system:serviceaccount:ns:sa'),
    'POST',
    WHOAMI,
    {},
    201,
    {
      status: { userInfo: { groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'] } },
    },
  ],
  [
    'a user who is given the group of all users',
    as('bob', 'system:authenticated'),
    'POST',
    WHOAMI,
    {},
    201,
    { status: { userInfo: { groups: ['system:authenticated'] } } },
  ],
  [
    'nobody',
    as('system:anonymous'),
    'GET',
    '/api',
    undefined,
    403,
    { message: 'forbidden: User "system:anonymous" cannot get path "/api"' },
  ],
  [
    'a group without a user',
    { 'impersonate-group': 'dev' },
    'GET',
    '/api/v1/namespaces/default',
    undefined,
    400,
    {
      message:
        'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev"}, Extra:map[string][]string(nil)} without impersonating a user name',
    },
  ],
];

const AUTHORIZED: readonly Case[] = [
  [
    'a list',
    as('bob'),
    'GET',
    '/api/v1/pods',
    undefined,
    403,
    { message: `pods is forbidden: ${REFUSED('bob', 'list', 'pods')}`, details: { kind: 'pods' } },
  ],
  [
    'a subresource',
    as('bob'),
    'GET',
    '/api/v1/namespaces/default/pods/a/log',
    undefined,
    403,
    { message: `pods "a" is forbidden: ${REFUSED('bob', 'get', 'pods/log', 'in the namespace "default"')}` },
  ],
  [
    'a resource of a group',
    as('bob'),
    'DELETE',
    '/apis/apps/v1/namespaces/default/deployments/a',
    undefined,
    403,
    {
      message: `deployments.apps "a" is forbidden: ${REFUSED('bob', 'delete', 'deployments', 'in the namespace "default"', 'apps')}`,
      details: { name: 'a', group: 'apps', kind: 'deployments' },
    },
  ],
  [
    'a path',
    as('bob'),
    'GET',
    '/foo/bar',
    undefined,
    403,
    { message: 'forbidden: User "bob" cannot get path "/foo/bar"', details: {} },
  ],
  ['discovery', as('bob'), 'GET', '/api', undefined, 200, { kind: 'APIVersions' }],
  [
    'what a role allows',
    as('reader'),
    'GET',
    '/api/v1/namespaces/access/configmaps',
    undefined,
    200,
    { kind: 'ConfigMapList' },
  ],
  [
    'the same in another namespace',
    as('reader'),
    'GET',
    '/api/v1/namespaces/default/configmaps',
    undefined,
    403,
    { message: `configmaps is forbidden: ${REFUSED('reader', 'list', 'configmaps', 'in the namespace "default"')}` },
  ],
  [
    'what a role allows by name',
    as('reader'),
    'GET',
    '/api/v1/namespaces/access/secrets/known',
    undefined,
    404,
    { message: 'secrets "known" not found' },
  ],
  [
    'a list of what is allowed by name',
    as('reader'),
    'GET',
    '/api/v1/namespaces/access/secrets?fieldSelector=metadata.name%3Dknown',
    undefined,
    200,
    { kind: 'SecretList' },
  ],
  [
    'all others of the same resource',
    as('reader'),
    'GET',
    '/api/v1/namespaces/access/secrets',
    undefined,
    403,
    { message: `secrets is forbidden: ${REFUSED('reader', 'list', 'secrets', 'in the namespace "access"')}` },
  ],
  [
    'a group',
    as('x', 'readers'),
    'GET',
    '/api/v1/namespaces/access/configmaps',
    undefined,
    200,
    { kind: 'ConfigMapList' },
  ],
  [
    'a service account',
    as('system:serviceaccount:access:robot'),
    'GET',
    '/api/v1/nodes',
    undefined,
    200,
    { kind: 'NodeList' },
  ],
];

const REVIEWS: readonly Case[] = [
  [
    'no question',
    {},
    'POST',
    `${AUTHORIZATION}/selfsubjectaccessreviews`,
    { spec: {} },
    422,
    invalid(
      'spec.resourceAttributes',
      'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ),
  ],
  [
    'two questions',
    {},
    'POST',
    `${AUTHORIZATION}/selfsubjectaccessreviews`,
    { spec: { resourceAttributes: { verb: 'get', resource: 'pods' }, nonResourceAttributes: { path: '/' } } },
    422,
    invalid(
      'spec.nonResourceAttributes',
      'Invalid value: {"Path":"/","Verb":""}: cannot be specified in combination with resourceAttributes',
    ),
  ],
  [
    'an administrator',
    {},
    'POST',
    `${AUTHORIZATION}/selfsubjectaccessreviews`,
    { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
    201,
    { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } }, status: { allowed: true } },
  ],
  [
    'an impersonated user',
    as('bob'),
    'POST',
    `${AUTHORIZATION}/selfsubjectaccessreviews`,
    { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
    201,
    { status: { allowed: false } },
  ],
  [
    'a path',
    as('bob'),
    'POST',
    `${AUTHORIZATION}/selfsubjectaccessreviews`,
    { spec: { nonResourceAttributes: { path: '/api', verb: 'get' } } },
    201,
    {
      status: {
        allowed: true,
        reason:
          'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
      },
    },
  ],
  [
    'nobody',
    {},
    'POST',
    `${AUTHORIZATION}/subjectaccessreviews`,
    { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
    422,
    invalid('spec.user', 'Invalid value: "": at least one of user or group must be specified'),
  ],
  [
    'another user',
    {},
    'POST',
    `${AUTHORIZATION}/subjectaccessreviews`,
    { spec: { user: 'reader', resourceAttributes: { verb: 'list', resource: 'configmaps', namespace: 'access' } } },
    201,
    {
      status: {
        allowed: true,
        reason: 'RBAC: allowed by RoleBinding "reader/access" of Role "reader" to User "reader"',
      },
    },
  ],
  [
    'a group',
    {},
    'POST',
    `${AUTHORIZATION}/subjectaccessreviews`,
    { spec: { groups: ['system:masters'], resourceAttributes: { verb: 'get', resource: 'pods' } } },
    201,
    { status: { allowed: true } },
  ],
  [
    'another namespace than that of the request',
    {},
    'POST',
    `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`,
    { spec: { user: 'bob', resourceAttributes: { verb: 'get', resource: 'pods' } } },
    422,
    invalid('spec.resourceAttributes.namespace', 'Invalid value: "": must match metadata.namespace'),
  ],
  [
    'a namespace',
    {},
    'POST',
    `${AUTHORIZATION}/namespaces/access/localsubjectaccessreviews`,
    { spec: { user: 'bob', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'access' } } },
    201,
    { status: { allowed: false } },
  ],
  [
    'rules of no namespace',
    {},
    'POST',
    `${AUTHORIZATION}/selfsubjectrulesreviews`,
    { spec: {} },
    400,
    { message: 'no namespace on request' },
  ],
  [
    'no token',
    {},
    'POST',
    `${AUTHENTICATION}/tokenreviews`,
    { spec: {} },
    400,
    { message: 'token is required for TokenReview in authentication' },
  ],
  [
    'an unknown token',
    {},
    'POST',
    `${AUTHENTICATION}/tokenreviews`,
    { spec: { token: 'bad' } },
    201,
    { status: { user: {}, error: 'invalid bearer token' } },
  ],
];

const rule = (apiGroups: string[], resources: string[], verbs: string[], more = {}) => ({
  apiGroups,
  resources,
  verbs,
  ...more,
});
const role = (name: string, ...rules: object[]) => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, to: string, ...subjects: object[]) => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: to },
  subjects,
});
const user = (name: string) => ({ kind: 'User', name });
const HELD =
  'user "granter" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:';

const ESCALATION: readonly Case[] = [
  [
    'a role of what one has',
    as('granter'),
    'POST',
    `${RBAC}/clusterroles?dryRun=All`,
    role('a', rule([''], ['pods'], ['get'])),
    201,
    { kind: 'ClusterRole' },
  ],
  [
    'a role of more',
    as('granter'),
    'POST',
    `${RBAC}/clusterroles`,
    role(
      'a',
      rule(['', 'apps'], ['pods', 'secrets'], ['get', 'list']),
      { nonResourceURLs: ['/y', '/z'], verbs: ['get'] },
      rule(['g'], ['a', 'b/c'], ['*'], { resourceNames: ['n1', 'n2'] }),
    ),
    403,
    {
      message: [
        `clusterroles.rbac.authorization.k8s.io "a" is forbidden: ${HELD}`,
        '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
        '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}',
        '{APIGroups:["apps"], Resources:["secrets"], Verbs:["get" "list"]}',
        '{APIGroups:["g"], Resources:["a"], ResourceNames:["n1"], Verbs:["*"]}',
        '{APIGroups:["g"], Resources:["a"], ResourceNames:["n2"], Verbs:["*"]}',
        '{APIGroups:["g"], Resources:["b/c"], ResourceNames:["n1"], Verbs:["*"]}',
        '{APIGroups:["g"], Resources:["b/c"], ResourceNames:["n2"], Verbs:["*"]}',
        '{NonResourceURLs:["/y"], Verbs:["get"]}',
        '{NonResourceURLs:["/z"], Verbs:["get"]}',
      ].join('\n'),
    },
  ],
  [
    'a role of a namespace',
    as('granter'),
    'POST',
    `${RBAC}/namespaces/access/roles`,
    role('a', rule([''], ['pods', 'secrets'], ['get'])),
    403,
    {
      message: `roles.rbac.authorization.k8s.io "a" is forbidden: ${HELD}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    },
  ],
  [
    'an aggregated role',
    as('granter'),
    'POST',
    `${RBAC}/clusterroles`,
    { metadata: { name: 'a' }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'c' } }] } },
    403,
    {
      message:
        'clusterroles.rbac.authorization.k8s.io "a" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    },
  ],
  [
    'a binding to a role of more',
    as('granter'),
    'POST',
    `${RBAC}/clusterrolebindings`,
    binding('a', 'ClusterRole', 'system:node-bootstrapper', user('x')),
    403,
    {
      message: `clusterrolebindings.rbac.authorization.k8s.io "a" is forbidden: ${HELD}\n{APIGroups:["certificates.k8s.io"], Resources:["certificatesigningrequests"], Verbs:["create" "get" "list" "watch"]}`,
    },
  ],
  [
    'a binding to no role',
    as('granter'),
    'POST',
    `${RBAC}/namespaces/access/rolebindings`,
    binding('a', 'Role', 'none', user('x')),
    404,
    { reason: 'NotFound' },
  ],
  [
    'a binding with the verb bind',
    as('binder'),
    'POST',
    `${RBAC}/namespaces/access/rolebindings?dryRun=All`,
    binding('a', 'ClusterRole', 'view', user('x')),
    201,
    { kind: 'RoleBinding' },
  ],
  [
    'another role with the verb bind',
    as('binder'),
    'POST',
    `${RBAC}/namespaces/access/rolebindings?dryRun=All`,
    binding('a', 'ClusterRole', 'edit', user('x')),
    403,
    { reason: 'Forbidden' },
  ],
  [
    'a change of a bound role',
    {},
    'PUT',
    `${RBAC}/namespaces/access/rolebindings/reader`,
    binding('reader', 'ClusterRole', 'edit', user('reader')),
    422,
    {
      message:
        'RoleBinding.rbac.authorization.k8s.io "reader" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef',
    },
  ],
  [
    'an invalid role',
    {},
    'POST',
    `${RBAC}/namespaces/access/roles`,
    role(
      'a',
      rule([''], ['pods'], []),
      { verbs: ['get'] },
      { verbs: ['get'], apiGroups: [''] },
      { verbs: ['get'], nonResourceURLs: ['/x'] },
      { verbs: ['get'], resources: ['pods'] },
    ),
    422,
    {
      message:
        'Role.rbac.authorization.k8s.io "a" is invalid: [rules[0].verbs: Required value: verbs must contain at least one value, rules[1].apiGroups: Required value: resource rules must supply at least one api group, rules[1].resources: Required value: resource rules must supply at least one resource, rules[2].resources: Required value: resource rules must supply at least one resource, rules[3].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs, rules[4].apiGroups: Required value: resource rules must supply at least one api group]',
    },
  ],
  [
    'an invalid binding',
    {},
    'POST',
    `${RBAC}/namespaces/access/rolebindings`,
    {
      metadata: { name: 'a' },
      roleRef: { apiGroup: 'rbac', kind: 'Rol', name: '' },
      subjects: [
        { kind: 'User', name: 'x', apiGroup: 'q' },
        { kind: 'ServiceAccount', name: 'y', apiGroup: 'z' },
      ],
    },
    422,
    {
      message:
        'RoleBinding.rbac.authorization.k8s.io "a" is invalid: [roleRef.apiGroup: Unsupported value: "rbac": supported values: "rbac.authorization.k8s.io", roleRef.kind: Unsupported value: "Rol": supported values: "Role", "ClusterRole", roleRef.name: Required value, subjects[0].apiGroup: Unsupported value: "q": supported values: "rbac.authorization.k8s.io", subjects[1].apiGroup: Unsupported value: "z": supported values: ""]',
    },
  ],
];

const REQUESTED_TOKENS: readonly Case[] = [
  [
    'too short a life',
    {},
    'POST',
    TOKENS,
    { spec: { expirationSeconds: 5 } },
    422,
    {
      message:
        'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
    },
  ],
  [
    'no such account',
    {},
    'POST',
    TOKENS.replace('robot', 'none'),
    { spec: {} },
    404,
    { message: 'serviceaccounts "none" not found' },
  ],
  [
    'no such pod',
    {},
    'POST',
    TOKENS,
    { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } } },
    404,
    { message: 'pods "none" not found' },
  ],
  [
    'another kind',
    {},
    'POST',
    TOKENS,
    { spec: { boundObjectRef: { kind: 'Foo', apiVersion: 'v1', name: 'none' } } },
    400,
    { message: 'cannot bind token to object of type /v1, Kind=Foo' },
  ],
  [
    'another name',
    {},
    'POST',
    TOKENS,
    { metadata: { name: 'other' }, spec: {} },
    422,
    {
      message:
        'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
    },
  ],
];

/** Declares the tests of authentication and RBAC for the administrator of a cluster that has RBAC. */
export function describeAccess(title: string, start: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: TestCluster;
    let client: AccessClient;
    const send: AccessClient['send'] = (...request) => client.send(...request);
    const create: AccessClient['create'] = (...request) => client.create(...request);
    const whoami = (token: string) => client.sendWith(token, 'POST', WHOAMI, {});
    const request = async (spec: object) => (await create(TOKENS, { spec })).status.token as string;

    beforeAll(async () => {
      cluster = await start();
      client = new AccessClient(cluster.credentials);
      await create('/api/v1/namespaces', { metadata: { name: 'access' } });
      await create('/api/v1/namespaces/access/serviceaccounts', { metadata: { name: 'robot' } });
      const roles = `${RBAC}/namespaces/access/roles`;
      const secret = rule([''], ['secrets'], ['get', 'list'], { resourceNames: ['known'] });
      await create(roles, role('reader', rule([''], ['configmaps'], ['list']), secret));
      const readers = [user('reader'), { kind: 'Group', name: 'readers' }];
      await create(`${RBAC}/namespaces/access/rolebindings`, binding('reader', 'Role', 'reader', ...readers));
      const grants = rule(['rbac.authorization.k8s.io'], ['*'], ['create', 'update', 'get']);
      await create(`${RBAC}/clusterroles`, role('granter', grants, rule([''], ['pods'], ['get', 'impersonate'])));
      await create(`${RBAC}/clusterrolebindings`, binding('granter', 'ClusterRole', 'granter', user('granter')));
      const bind = rule(['rbac.authorization.k8s.io'], ['clusterroles'], ['bind'], { resourceNames: ['view'] });
      await create(`${RBAC}/clusterroles`, role('binder', grants, bind));
      await create(`${RBAC}/clusterrolebindings`, binding('binder', 'ClusterRole', 'binder', user('binder')));
      const nodes = rule([''], ['nodes'], ['list']);
      const acting = [rule([''], ['users'], ['impersonate'], { resourceNames: ['reader'] }), nodes];
      await create(`${RBAC}/clusterroles`, role('robot', ...acting));
      const robot = { kind: 'ServiceAccount', name: 'robot', namespace: 'access' };
      await create(`${RBAC}/clusterrolebindings`, binding('robot', 'ClusterRole', 'robot', robot));
      await eventually('the last binding is in effect', async () => {
        const spec = {
          user: 'system:serviceaccount:access:robot',
          resourceAttributes: { verb: 'list', resource: 'nodes' },
        };
        return (await create(`${AUTHORIZATION}/subjectaccessreviews`, { spec })).status.allowed as boolean;
      });
    }, 120_000);
    afterAll(async () => {
      await client?.close();
      await cluster?.stop();
    }, 60_000);

    const check = (each: Case): Promise<void> => client.check(each);
    it.each(IMPERSONATION)('should impersonate %s', async (...each) => check(each));
    it.each(AUTHORIZED)('should decide by roles: %s', async (...each) => check(each));
    it.each(REVIEWS)('should review %s', async (...each) => check(each));
    it.each(ESCALATION)('should keep users from giving more than they have: %s', async (...each) => check(each));
    it.each(REQUESTED_TOKENS)('should refuse a token: %s', async (...each) => check(each));

    it('should list what a user may do', async () => {
      const { body } = await send(
        'POST',
        `${AUTHORIZATION}/selfsubjectrulesreviews`,
        { spec: { namespace: 'access' } },
        as('reader'),
      );
      const rules = body.status.resourceRules as object[];
      expect(body).toMatchObject({ spec: {}, status: { incomplete: false } });
      expect(rules).toHaveLength(4);
      expect(rules).toContainEqual({ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] });
      expect(body.status.nonResourceRules).toHaveLength(2);
    });

    it('should know the service account of a token, and until when', async () => {
      const token = await request({});
      const { status, body } = await whoami(token);
      const groups = ['system:serviceaccounts', 'system:serviceaccounts:access', 'system:authenticated'];
      expect([status, body.status.userInfo]).toMatchObject([
        201,
        { username: 'system:serviceaccount:access:robot', groups },
      ]);
      const [header, claims] = token
        .split('.', 2)
        .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')));
      const { keys } = (await send('GET', '/openid/v1/jwks', undefined, { accept: 'application/jwk-set+json' })).body;
      expect(keys[0]).toMatchObject({ kid: header.kid, alg: header.alg, use: 'sig' });
      const { issuer } = (await send('GET', '/.well-known/openid-configuration')).body;
      const jti = body.status.userInfo.extra['authentication.kubernetes.io/credential-id'][0];
      expect(claims).toMatchObject({
        iss: issuer,
        aud: [issuer],
        exp: claims.iat + 3600,
        nbf: claims.iat,
        jti: jti.slice(4),
      });
      expect(Object.keys(claims)).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'kubernetes.io', 'nbf', 'sub']);
      expect(claims['kubernetes.io']).toMatchObject({ namespace: 'access', serviceaccount: { name: 'robot' } });
      expect((await whoami(`${token.slice(0, -4)}AAAA`)).status).toBe(401);
    });

    it('should accept a token by its audience only, and as long as its object is there', async () => {
      const secret = '/api/v1/namespaces/access/secrets';
      await create(secret, { metadata: { name: 'bound' } });
      const reference = { kind: 'Secret', apiVersion: 'v1', name: 'bound' };
      const token = await request({ audiences: ['vault'], boundObjectRef: reference });
      expect((await whoami(token)).status).toBe(401);
      const review = async (audiences?: string[]) =>
        (await create(`${AUTHENTICATION}/tokenreviews`, { spec: { token, audiences } })).status;
      expect(await review(['vault', 'other'])).toMatchObject({ authenticated: true, audiences: ['vault'] });
      expect((await review()).error).toBe(
        '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["https://kubernetes.default.svc.cluster.local"]]',
      );
      await send('DELETE', `${secret}/bound`);
      await eventually('the token has ended', async () => (await review(['vault'])).error !== undefined);
      expect((await review(['vault'])).error).toBe(
        '[invalid bearer token, service account token has been invalidated]',
      );
    });

    it('should let those impersonate who may', async () => {
      const token = await request({});
      const list = (name: string) =>
        client.sendWith(token, 'GET', '/api/v1/namespaces/access/configmaps', undefined, as(name));
      expect((await list('bob')).body.message).toBe(
        `configmaps is forbidden: ${REFUSED('system:serviceaccount:access:robot', 'impersonate-on:user-info:list', 'configmaps', 'in the namespace "access"')}`,
      );
      expect((await list('reader')).status).toBe(200);
    });

    it('should aggregate roles', async () => {
      const selectors = [{ matchLabels: { part: 'yes' } }];
      await create(`${RBAC}/clusterroles`, {
        metadata: { name: 'whole' },
        aggregationRule: { clusterRoleSelectors: selectors },
      });
      const part = role('part', rule(['x'], ['y'], ['get']));
      await create(`${RBAC}/clusterroles`, { ...part, metadata: { name: 'part', labels: { part: 'yes' } } });
      await eventually('the role has the rules of its part', async () => {
        const { body } = await send('GET', `${RBAC}/clusterroles/whole`);
        return JSON.stringify(body.rules) === '[{"verbs":["get"],"apiGroups":["x"],"resources":["y"]}]';
      });
    });

    it('should have the roles and bindings of a new cluster', async () => {
      const { body } = await send('GET', `${RBAC}/clusterroles?labelSelector=kubernetes.io/bootstrapping`);
      const names = (body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
      expect(names).toEqual(expect.arrayContaining(['admin', 'cluster-admin', 'edit', 'system:basic-user', 'view']));
      expect(names.length).toBeGreaterThan(60);
    });
  });
}
