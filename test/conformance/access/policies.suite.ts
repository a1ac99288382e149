import { eventually } from '../../support/time/eventually.js';
import type { TestCluster } from '../test.cluster.js';
import { AccessClient, type Case } from './access.client.js';

const ADMIN = {};
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const MUTATING = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies';
const MUTATING_BINDINGS = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const MAPS = '/api/v1/namespaces/default/configmaps?dryRun=All';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments?dryRun=All';

const rules = (resources: string, apiGroup = '', operations = ['CREATE', 'UPDATE']) => ({
  resourceRules: [{ apiGroups: [apiGroup], apiVersions: ['v1'], operations, resources: [resources] }],
});
const policy = (name: string, spec: object) => ({ metadata: { name }, spec });
const startsWith = (name: string) => [{ name: 'mine', expression: `object.metadata.name.startsWith("${name}")` }];
const map = (name: string, data?: object) => ({ metadata: { name }, ...(data && { data }) });
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
  },
});
const denied = (name: string, policyName: string, message: string, reason = 'Invalid') => {
  const text = `ValidatingAdmissionPolicy '${policyName}' with binding '${policyName}' denied request: ${message}`;
  return {
    reason,
    message: `configmaps "${name}" is forbidden: ${text}`,
    details: { name, kind: 'configmaps', causes: [{ message: text }] },
  };
};

const WITH_PARAMS = policy('limits', {
  paramKind: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
  matchConstraints: rules('configmaps'),
  matchConditions: startsWith('limits'),
  variables: [
    { name: 'n', expression: 'object.metadata.name' },
    { name: 'broken', expression: 'object.nothing' },
  ],
  validations: [
    {
      expression: '!has(object.data) || size(object.data) < int(params.metadata.labels.max)',
      messageExpression: '"too many: " + variables.n',
      reason: 'Forbidden',
    },
    { expression: '!has(object.data) || !("bad" in object.data)' },
    { expression: '!has(object.data) || !("c" in object.data) || variables.broken == 1' },
  ],
});
const WITH_AUTHORIZER = policy('access', {
  matchConstraints: rules('configmaps'),
  matchConditions: startsWith('access'),
  validations: [
    { expression: 'authorizer.group("").resource("pods").namespace("x").check("get").allowed()', message: 'no pods' },
    {
      expression:
        'authorizer.path("/healthz").check("get").allowed() && authorizer.requestResource.check("delete").allowed()',
      message: 'no request',
    },
    {
      expression:
        '!authorizer.serviceAccount("default", "nobody").group("").resource("nodes").subresource("status").name("a").check("get").allowed()',
      message: 'no account',
    },
    {
      expression: 'namespaceObject.metadata.name == "default" && request.operation == "CREATE"',
      message: 'no namespace',
    },
  ],
});
const MUTATION = policy('mutate', {
  matchConstraints: rules('deployments', 'apps', ['CREATE']),
  matchConditions: [{ name: 'mine', expression: 'request.name != "skip"' }],
  variables: [{ name: 'n', expression: 'object.metadata.name + "-x"' }],
  mutations: [
    {
      patchType: 'ApplyConfiguration',
      applyConfiguration: {
        expression: `Object{
          metadata: Object.metadata{ labels: {"a": variables.n} },
          spec: Object.spec{ replicas: 3, template: Object.spec.template{ spec: Object.spec.template.spec{
            containers: [Object.spec.template.spec.containers{ name: "side", image: "busybox" }] } } } }`,
      },
    },
    {
      patchType: 'JSONPatch',
      jsonPatch: {
        expression:
          '[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("x/y"), value: string(object.spec.replicas)}]',
      },
    },
  ],
  reinvocationPolicy: 'Never',
});

const invalid = (kind: string, message: string) => ({
  message: `${kind}.admissionregistration.k8s.io "a" is invalid: ${message}`,
});
const UNDECLARED = (name: string, text: string): string =>
  `Invalid value: "${text}": compilation failed: ERROR: <input>:1:1: undeclared reference to '${name}' (in container '')\n | ${text}\n | ^`;

const INVALID: readonly Case[] = [
  [
    'a policy without anything',
    ADMIN,
    'POST',
    POLICIES,
    policy('a', {}),
    422,
    invalid(
      'ValidatingAdmissionPolicy',
      '[spec.matchConstraints: Required value, spec.validations: Required value: validations or auditAnnotations must contain at least one item, spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item]',
    ),
  ],
  [
    'wrong validations',
    ADMIN,
    'POST',
    POLICIES,
    policy('a', {
      matchConstraints: rules('configmaps', '', ['FOO']),
      validations: [
        { expression: '' },
        { expression: '1' },
        { expression: 'params.x == 1' },
        { expression: 'variables.x == 2', reason: 'Foo', message: 'a\nb' },
      ],
    }),
    422,
    invalid(
      'ValidatingAdmissionPolicy',
      `[spec.matchConstraints.resourceRules[0].operations[0]: Unsupported value: "FOO": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE", spec.validations[0].expression: Required value: expression is not specified, spec.validations[1].expression: Invalid value: "1": must evaluate to bool but got int, spec.validations[2].expression: ${UNDECLARED('params', 'params.x == 1')}, spec.validations[3].expression: ${UNDECLARED('variables', 'variables.x == 2')}, spec.validations[3].message: Invalid value: "a\\nb": must not contain line breaks, spec.validations[3].reason: Unsupported value: "Foo": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"]`,
    ),
  ],
  [
    'a binding without anything',
    ADMIN,
    'POST',
    BINDINGS,
    policy('a', {}),
    422,
    invalid(
      'ValidatingAdmissionPolicyBinding',
      '[spec.policyName: Required value, spec.validationActions: Required value: at least one validation action is required]',
    ),
  ],
  [
    'a mutating policy without anything',
    ADMIN,
    'POST',
    MUTATING,
    policy('a', {}),
    422,
    invalid(
      'MutatingAdmissionPolicy',
      '[spec.matchConstraints: Required value, spec.mutations: Required value: mutations must contain at least one item, spec.reinvocationPolicy: Required value]',
    ),
  ],
  [
    'wrong mutations',
    ADMIN,
    'POST',
    MUTATING,
    policy('a', {
      matchConstraints: rules('configmaps', '', ['DELETE']),
      mutations: [
        { patchType: 'Foo' },
        { patchType: 'JSONPatch' },
        { patchType: 'ApplyConfiguration', applyConfiguration: { expression: '1' } },
        { patchType: 'JSONPatch', jsonPatch: { expression: '1' } },
      ],
    }),
    422,
    invalid(
      'MutatingAdmissionPolicy',
      '[spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE", spec.mutations[0].patchType: Unsupported value: "Foo": supported values: "ApplyConfiguration", "JSONPatch", spec.mutations[1].jsonPatch: Required value: must be specified when patchType is JSONPatch, spec.mutations[2].applyConfiguration.expression: Invalid value: "1": must evaluate to Object but got int, spec.mutations[3].jsonPatch.expression: Invalid value: "1": must evaluate to list(JSONPatch) but got int, spec.reinvocationPolicy: Required value]',
    ),
  ],
];

const VALIDATED: readonly Case[] = [
  ['what the parameters allow', ADMIN, 'POST', MAPS, map('limits-1', { a: '1' }), 201, { kind: 'ConfigMap' }],
  [
    'more than the parameters allow',
    ADMIN,
    'POST',
    MAPS,
    map('limits-1', { a: '1', b: '2' }),
    403,
    denied('limits-1', 'limits', 'too many: limits-1', 'Forbidden'),
  ],
  [
    'an expression without a message',
    ADMIN,
    'POST',
    MAPS,
    map('limits-1', { bad: '3' }),
    422,
    denied('limits-1', 'limits', 'failed expression: !has(object.data) || !("bad" in object.data)'),
  ],
  [
    'an expression without a value',
    ADMIN,
    'POST',
    MAPS,
    map('limits-1', { c: '3' }),
    422,
    denied(
      'limits-1',
      'limits',
      `expression '!has(object.data) || !("c" in object.data) || variables.broken == 1' resulted in error: composited variable "broken" fails to evaluate: no such key: nothing`,
    ),
  ],
  ['what the conditions except', ADMIN, 'POST', MAPS, map('other', { bad: '3' }), 201, { kind: 'ConfigMap' }],
  [
    'another namespace than that of the binding',
    ADMIN,
    'POST',
    MAPS.replace('default', 'kube-public'),
    map('limits-1', { bad: '3' }),
    201,
    { kind: 'ConfigMap' },
  ],
  ['what the user may do', ADMIN, 'POST', MAPS, map('access-1'), 201, { kind: 'ConfigMap' }],
  [
    'what the user may not do',
    { 'impersonate-user': 'creator' },
    'POST',
    MAPS,
    map('access-1'),
    422,
    denied('access-1', 'access', 'no pods'),
  ],
  [
    'the namespace',
    ADMIN,
    'POST',
    MAPS.replace('default', 'kube-public'),
    map('access-1'),
    422,
    denied('access-1', 'access', 'no namespace'),
  ],
];

/** Declares the tests of admission policies for the administrator of a cluster that has RBAC. */
export function describePolicies(title: string, start: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: TestCluster;
    let client: AccessClient;
    const bind = (name: string, spec: object = {}) =>
      client.create(BINDINGS, policy(name, { policyName: name, validationActions: ['Deny'], ...spec }));
    const statusOf = async (name: string, data?: object) => (await client.send('POST', MAPS, map(name, data))).status;

    beforeAll(async () => {
      cluster = await start();
      client = new AccessClient(cluster.credentials);
      const rbac = '/apis/rbac.authorization.k8s.io/v1';
      const create = { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] };
      await client.create(`${rbac}/clusterroles`, { metadata: { name: 'creator' }, rules: [create] });
      await client.create(`${rbac}/clusterrolebindings`, {
        metadata: { name: 'creator' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'creator' },
        subjects: [{ kind: 'User', name: 'creator' }],
      });
      await client.create(LEASES, { metadata: { name: 'params', labels: { max: '2' } } });
      await client.create(POLICIES, WITH_PARAMS);
      await client.create(POLICIES, WITH_AUTHORIZER);
      await bind('limits', {
        paramRef: { name: 'params', namespace: 'default', parameterNotFoundAction: 'Deny' },
        matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
      });
      await bind('access');
      await client.create(MUTATING, MUTATION);
      await client.create(MUTATING_BINDINGS, policy('mutate', { policyName: 'mutate' }));
      await eventually('all are in effect', async () => {
        const { body } = await client.send('POST', DEPLOYMENTS, deployment('probe'));
        const isMutated = body.metadata.labels?.a === 'probe-x';
        const isValidated = (await statusOf('limits-1', { bad: '1' })) === 422 && (await statusOf('limits-1')) === 201;
        const as = { 'impersonate-user': 'creator' };
        return isMutated && isValidated && (await client.send('POST', MAPS, map('access-1'), as)).status === 422;
      });
    }, 120_000);
    afterAll(async () => {
      await client?.close();
      await cluster?.stop();
    }, 60_000);

    it.each(INVALID)('should reject %s', (...each) => client.check(each));
    it.each(VALIDATED)('should validate %s', (...each) => client.check(each));

    it('should set defaults', async () => {
      const { body } = await client.send('GET', `${POLICIES}/access`);
      expect(body.spec.matchConstraints).toEqual({
        namespaceSelector: {},
        objectSelector: {},
        matchPolicy: 'Equivalent',
        resourceRules: [{ ...rules('configmaps').resourceRules[0], scope: '*' }],
      });
      expect([body.spec.failurePolicy, body.metadata.generation]).toEqual(['Fail', 1]);
    });

    it('should mutate by configurations and by patches, one after the other', async () => {
      const { body } = await client.send('POST', DEPLOYMENTS, deployment('web'));
      expect(body.metadata.labels).toEqual({ a: 'web-x', 'x/y': '3' });
      const { replicas, template } = body.spec;
      const containers = template.spec.containers.map(({ name, imagePullPolicy }: Record<string, string>) => [
        name,
        imagePullPolicy,
      ]);
      expect([replicas, containers]).toEqual([
        3,
        [
          ['a', 'Always'],
          ['side', 'Always'],
        ],
      ]);
      const skipped = await client.send('POST', DEPLOYMENTS, deployment('skip'));
      expect(skipped.body.metadata.labels).toBeUndefined();
    });

    it('should reject what has no parameters, where the binding says so', async () => {
      await client.send('DELETE', `${LEASES}/params`);
      const refused = await eventually('the parameters have gone', async () => {
        const answer = await client.send('POST', MAPS, map('limits-2'));
        return answer.status === 422 && answer;
      });
      const message =
        'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction';
      expect(refused.body).toMatchObject(denied('limits-2', 'limits', message));
    });
  });
}
