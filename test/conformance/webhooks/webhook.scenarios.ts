import {
  allowing,
  apply,
  get,
  patch,
  patching,
  post,
  put,
  remove,
  rule,
  type WebhookScenario,
} from './webhook.scenario.js';
import { NAMESPACE } from './webhook.side.js';

import {
  all,
  denying,
  gadget,
  GADGETS,
  GADGETS_V2,
  HOOK,
  map,
  MAPS,
  mutating,
  OTHER,
  validating,
} from './webhook.objects.js';

/** The scenarios that are compared between a real control plane and embedded-kube. */
export const WEBHOOK_SCENARIOS: readonly WebhookScenario[] = [
  {
    name: 'all operations on a configmap',
    ...mutating({ rules: [rule(['configmaps'], all)] }),
    validating: { two: [{ name: OTHER, rules: [rule(['configmaps'], all)] }] },
    behaviours: { [HOOK]: allowing, [OTHER]: allowing },
    steps: [
      post(`${MAPS}?fieldManager=me&fieldValidation=Strict`, map('life')),
      put(`${MAPS}/life`, map('life', { a: '2' })),
      patch(`${MAPS}/life`, { data: { b: '3' } }),
      patch(`${MAPS}/life`, [{ op: 'add', path: '/data/c', value: '4' }], 'application/json-patch+json'),
      patch(`${MAPS}/life?dryRun=All`, { data: { d: '3' } }),
      patch(`${MAPS}/life`, { metadata: { finalizers: ['conformance.example/keep'] } }),
      remove(`${MAPS}/life`, { propagationPolicy: 'Background', preconditions: {} }),
      patch(`${MAPS}/life`, { metadata: { finalizers: null } }),
    ],
  },
  {
    name: 'configurations that are applied',
    ...mutating({ rules: [rule(['gadgets', 'gadgets/status'], all)] }),
    validating: { two: [{ name: OTHER, rules: [rule(['gadgets', 'gadgets/status'], all)] }] },
    behaviours: {
      [HOOK]: patching({ op: 'add', path: '/metadata/annotations', value: { mutated: 'yes' } }),
      [OTHER]: allowing,
    },
    steps: [
      apply(`${GADGETS}/applied?fieldManager=me`, gadget('applied')),
      apply(`${GADGETS}/applied?fieldManager=me`, gadget('applied')),
      apply(`${GADGETS}/applied?fieldManager=other&force=true&dryRun=All`, gadget('applied')),
      apply(`${GADGETS}/applied/status?fieldManager=me`, { ...gadget('applied'), status: { phase: 'x' } }),
      remove(`${GADGETS}/applied`),
    ],
  },
  {
    name: 'generated names',
    ...mutating({ rules: [rule(['configmaps'])] }),
    validating: { two: [{ name: OTHER, rules: [rule(['configmaps'])] }] },
    behaviours: { [HOOK]: patching({ op: 'add', path: '/metadata/name', value: 'given' }), [OTHER]: allowing },
    steps: [
      post(MAPS, { metadata: { generateName: 'some-' } }),
      remove(`${MAPS}/given`),
      post(`${MAPS}?dryRun=All`, map('dry')),
    ],
  },
  {
    name: 'a collection that is deleted',
    ...validating({ rules: [rule(['configmaps'], ['DELETE'])] }),
    behaviours: { [HOOK]: (request) => ({ allowed: request.name !== 'kept' }) },
    steps: [
      post(MAPS, map('one', {}, { labels: { group: 'x' } })),
      post(MAPS, map('two', {}, { labels: { group: 'x' } })),
      remove(`${MAPS}?labelSelector=group%3Dx`),
    ],
  },
  {
    name: 'a deletion that is denied, and one that is mutated',
    ...mutating({ rules: [rule(['configmaps'], ['DELETE'])], objectSelector: { matchLabels: { mutated: 'yes' } } }),
    validating: {
      two: [
        { name: OTHER, rules: [rule(['configmaps'], ['DELETE'])], objectSelector: { matchLabels: { kept: 'yes' } } },
      ],
    },
    behaviours: {
      [HOOK]: patching({ op: 'add', path: '/data', value: {} }),
      [OTHER]: denying({ message: 'keep it', code: 403 }),
    },
    steps: [
      post(MAPS, map('a', {}, { labels: { mutated: 'yes' } })),
      post(MAPS, map('b', {}, { labels: { kept: 'yes' } })),
      remove(`${MAPS}/a`),
      remove(`${MAPS}/b`),
      remove(`${MAPS}/b?dryRun=All`),
    ],
  },
  {
    name: 'a custom resource with defaults, pruning and status',
    ...mutating({ rules: [rule(['gadgets', 'gadgets/status'], all)] }),
    validating: { two: [{ name: OTHER, rules: [rule(['gadgets', 'gadgets/status'], all)] }] },
    behaviours: {
      [HOOK]: patching(
        { op: 'add', path: '/spec/extra', value: {} },
        { op: 'add', path: '/metadata/annotations', value: { seen: 'yes' } },
      ),
      [OTHER]: allowing,
    },
    steps: [
      post(GADGETS, gadget('g', { forgotten: true }, { status: { phase: 'early' } })),
      patch(`${GADGETS}/g`, { spec: { size: 2 }, status: { phase: 'ignored' } }),
      patch(`${GADGETS}/g/status`, { spec: { size: 5 }, status: { phase: 'late' } }),
      get(`${GADGETS}/g`),
      remove(`${GADGETS}/g`),
    ],
  },
  {
    name: 'a mutation that adds what the schema does not know',
    ...mutating({ rules: [rule(['gadgets'])] }),
    behaviours: { [HOOK]: patching({ op: 'add', path: '/spec/unknown', value: 1 }) },
    steps: [post(GADGETS, gadget('u')), remove(`${GADGETS}/u`)],
  },
  {
    name: 'a mutation that makes the object invalid',
    ...mutating({ rules: [rule(['gadgets'])] }),
    behaviours: { [HOOK]: patching({ op: 'replace', path: '/spec/size', value: 'large' }) },
    steps: [post(GADGETS, gadget('g'))],
  },
  {
    name: 'a mutation of a configmap that makes it invalid',
    ...mutating({ rules: [rule(['configmaps'])] }),
    behaviours: { [HOOK]: patching({ op: 'add', path: '/metadata/labels', value: { 'not a key': 'x' } }) },
    steps: [post(MAPS, map('invalid'))],
  },
  {
    name: 'other versions by equivalence',
    mutating: {
      one: [{ name: HOOK, rules: [rule(['gadgets'], ['CREATE'], ['conformance.example'], ['v2'])] }],
      two: [
        { name: OTHER, rules: [rule(['gadgets'], ['CREATE'], ['conformance.example'], ['v2'])], matchPolicy: 'Exact' },
      ],
    },
    behaviours: {
      [HOOK]: patching({ op: 'add', path: '/metadata/annotations', value: { equivalent: 'yes' } }),
      [OTHER]: patching({ op: 'add', path: '/metadata/labels', value: { exact: 'yes' } }),
    },
    steps: [
      post(GADGETS, gadget('g')),
      remove(`${GADGETS}/g`),
      post(GADGETS_V2, gadget('g', {}, {}, 'v2')),
      remove(`${GADGETS}/g`),
    ],
  },
  {
    name: 'the scale of a custom resource',
    ...mutating({ rules: [rule(['*/scale'], ['UPDATE'])] }),
    validating: { two: [{ name: OTHER, rules: [rule(['gadgets/scale'], ['UPDATE'])] }] },
    behaviours: {
      [HOOK]: patching({ op: 'add', path: '/spec/replicas', value: 4 }),
      [OTHER]: ({ object }) => ({ allowed: object.spec.replicas < 5 }),
    },
    steps: [
      post(GADGETS, gadget('s', { replicas: 1 })),
      patch(`${GADGETS}/s/scale`, { spec: { replicas: 3 } }),
      get(`${GADGETS}/s`),
      remove(`${GADGETS}/s`),
    ],
  },
  {
    name: 'namespaces and what is in none',
    ...validating({
      rules: [rule(['namespaces', 'namespaces/*', 'clusterroles'], all)],
      namespaceSelector: { matchLabels: { team: 'a' } },
    }),
    behaviours: { [HOOK]: allowing },
    steps: [
      post('/api/v1/namespaces', { metadata: { name: 'team-a', labels: { team: 'a' } } }),
      post('/api/v1/namespaces', { metadata: { name: 'team-b', labels: { team: 'b' } } }),
      patch('/api/v1/namespaces/team-b', { metadata: { labels: { team: 'a' } } }),
      patch('/api/v1/namespaces/team-b', { metadata: { labels: { team: 'c' } } }),
      post('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'conformance' } }),
      remove('/apis/rbac.authorization.k8s.io/v1/clusterroles/conformance'),
    ],
  },
  {
    name: 'the selectors of namespaces and objects',
    validating: {
      one: [
        {
          name: HOOK,
          rules: [rule(['configmaps'], ['CREATE', 'UPDATE'])],
          namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['hooks'] }] },
        },
      ],
      two: [
        {
          name: OTHER,
          rules: [rule(['configmaps'], ['CREATE', 'UPDATE'])],
          objectSelector: { matchLabels: { watched: 'yes' } },
        },
      ],
    },
    behaviours: { [HOOK]: allowing, [OTHER]: allowing },
    steps: [
      post(MAPS, map('plain')),
      post('/api/v1/namespaces/default/configmaps', map('elsewhere')),
      patch(`${MAPS}/plain`, { metadata: { labels: { watched: 'yes' } } }),
      patch(`${MAPS}/plain`, { metadata: { labels: { watched: null } } }),
      patch(`${MAPS}/plain`, { data: { b: '2' } }),
      remove(`${MAPS}/plain`),
      remove('/api/v1/namespaces/default/configmaps/elsewhere'),
    ],
  },
  {
    name: 'the scopes of rules',
    validating: {
      one: [{ name: HOOK, rules: [{ ...rule(['*']), scope: 'Namespaced' }] }],
      two: [{ name: OTHER, rules: [{ ...rule(['*']), scope: 'Cluster' }] }],
    },
    behaviours: { [HOOK]: allowing, [OTHER]: allowing },
    steps: [
      post(`${MAPS}?dryRun=All`, map('scoped')),
      post('/api/v1/namespaces?dryRun=All', { metadata: { name: 'scoped' } }),
      post('/apis/rbac.authorization.k8s.io/v1/clusterroles?dryRun=All', { metadata: { name: 'scoped' } }),
    ],
  },
  {
    name: 'match conditions',
    ...validating(
      {
        rules: [rule(['configmaps'], all)],
        matchConditions: [
          { name: 'not-admin', expression: 'request.userInfo.username == "admin"' },
          { name: 'has-data', expression: 'request.operation == "DELETE" || object.data.a == "1"' },
        ],
      },
      {
        name: OTHER,
        rules: [rule(['configmaps'], ['CREATE'])],
        failurePolicy: 'Ignore',
        matchConditions: [{ name: 'broken', expression: 'object.spec.missing == 1' }],
      },
    ),
    behaviours: { [HOOK]: denying({ message: 'matched' }), [OTHER]: denying({ message: 'never' }) },
    steps: [
      post(MAPS, map('matched')),
      post(MAPS, map('unmatched', { a: '2' })),
      post(MAPS, map('broken', { b: '2' })),
      remove(`${MAPS}/unmatched`),
    ],
  },
  {
    name: 'a chain of mutations in the order of names, with reinvocation',
    mutating: {
      'b-later': [{ name: 'third.conformance.example', rules: [rule(['configmaps'])], reinvocationPolicy: 'IfNeeded' }],
      'a-first': [
        { name: 'first.conformance.example', rules: [rule(['configmaps'])], reinvocationPolicy: 'IfNeeded' },
        { name: 'second.conformance.example', rules: [rule(['configmaps'])] },
      ],
    },
    behaviours: Object.fromEntries(
      ['first', 'second', 'third'].map((name) => [
        `${name}.conformance.example`,
        ({ object }) => ({
          allowed: true,
          patchType: 'JSONPatch',
          patch: Buffer.from(
            JSON.stringify([{ op: 'add', path: '/data/trace', value: `${object.data?.trace ?? ''}${name},` }]),
          ).toString('base64'),
          warnings: [`${name} was here`],
        }),
      ]),
    ),
    steps: [post(MAPS, map('chain')), remove(`${MAPS}/chain`)],
  },
  {
    name: 'warnings: of many sorts, of many webhooks, allowed and denied',
    ...mutating({ rules: [rule(['configmaps'])] }),
    validating: { two: [{ name: OTHER, rules: [rule(['configmaps'])] }] },
    behaviours: {
      [HOOK]: () => ({
        allowed: true,
        warnings: ['plain', 'with "quotes" and \\', 'plain', '', 'ünïcode €', 'line\nbreak', 'x'.repeat(300)],
      }),
      [OTHER]: denying({ message: 'no' }),
    },
    steps: [post(MAPS, map('warned'))],
  },
  {
    name: 'warnings that are too long together',
    ...validating({ rules: [rule(['configmaps'])] }),
    behaviours: {
      [HOOK]: () => ({
        allowed: true,
        warnings: Array.from({ length: 30 }, (_, index) => `${index} ${'y'.repeat(400)}`),
      }),
    },
    steps: [post(`${MAPS}?dryRun=All`, map('warned'))],
  },
  {
    name: 'a request that has less time than the webhook',
    ...validating({ rules: [rule(['configmaps'])], timeoutSeconds: 20 }),
    behaviours: { [HOOK]: allowing },
    steps: [post(`${MAPS}?dryRun=All&timeout=5s`, map('quick')), post(`${MAPS}?dryRun=All&timeout=1m`, map('quick'))],
  },
  {
    name: 'an eviction and a binding',
    ...mutating({ rules: [rule(['pods/eviction', 'pods/binding', 'pods'], ['CREATE', 'DELETE', 'UPDATE'])] }),
    validating: { two: [{ name: OTHER, rules: [rule(['pods/*'], ['*'])] }] },
    behaviours: {
      [HOOK]: allowing,
      [OTHER]: ({ operation, subResource }) => ({ allowed: operation === 'CREATE' && subResource !== 'eviction' }),
    },
    steps: [
      post(`/api/v1/namespaces/${NAMESPACE}/pods/p/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'p' },
        target: { kind: 'Node', name: 'n' },
      }),
      post(`/api/v1/namespaces/${NAMESPACE}/pods/p/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'p' },
      }),
    ],
  },
  {
    name: 'everything, but not the configurations themselves',
    ...validating({ rules: [rule(['*/*'], ['*'])] }),
    behaviours: { [HOOK]: denying() },
    steps: [
      patch('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/one', {
        metadata: { labels: { a: 'b' } },
      }),
      post(`${MAPS}?dryRun=All`, map('everything')),
      post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      }),
    ],
  },
  {
    name: 'conflicts and names that are taken',
    ...mutating({ rules: [rule(['configmaps'], ['CREATE', 'UPDATE'])] }),
    behaviours: { [HOOK]: allowing },
    steps: [
      post(MAPS, map('taken')),
      post(MAPS, map('taken')),
      put(`${MAPS}/taken`, map('taken', {}, { resourceVersion: '1' })),
      put(`${MAPS}/other`, map('other')),
      remove(`${MAPS}/taken`),
      remove(`${MAPS}/taken`),
    ],
  },
];
