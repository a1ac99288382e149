import { allowing, get, patch, patching, post, put, remove, rule, type WebhookScenario } from './webhook.scenario.js';
import { NAMESPACE } from './webhook.side.js';

const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const GADGETS = `/apis/conformance.example/v1/namespaces/${NAMESPACE}/gadgets`;
const GADGETS_V2 = `/apis/conformance.example/v2/namespaces/${NAMESPACE}/gadgets`;
const HOOK = 'hook.conformance.example';
const OTHER = 'other.conformance.example';

const map = (name: string, data: object = { a: '1' }, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
const gadget = (name: string, spec: object = {}, rest: object = {}, version = 'v1'): object => ({
  apiVersion: `conformance.example/${version}`,
  kind: 'Gadget',
  metadata: { name },
  spec: { size: 1, ...spec },
  ...rest,
});
const denying = (status?: object) => () => ({ allowed: false, ...(status && { status }) });
const all = ['CREATE', 'UPDATE', 'DELETE'];
const validating = (hook: object, ...more: object[]) => ({
  validating: { one: [{ name: HOOK, ...hook }, ...(more as { name: string }[])] },
});
const mutating = (hook: object, ...more: object[]) => ({
  mutating: { one: [{ name: HOOK, ...hook }, ...(more as { name: string }[])] },
});

/** What the answers to denials look like. */
const DENIALS: WebhookScenario[] = (
  [
    ['nothing', undefined],
    ['a message', { message: 'not so' }],
    ['a code', { message: 'not so', code: 403 }],
    ['a reason', { reason: 'Forbidden' }],
    [
      'a whole status',
      { message: 'taken', code: 409, reason: 'Conflict', status: 'Failure', details: { name: 'x', kind: 'y' } },
    ],
    ['a success', { message: 'odd', code: 200, status: 'Success' }],
    ['a time to wait', { message: 'later', code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 7 } }],
    [
      'causes',
      {
        message: 'bad',
        code: 422,
        reason: 'Invalid',
        details: { causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'f' }] },
      },
    ],
  ] as const
).map(([what, status]) => ({
  name: `a denial with ${what}`,
  ...validating({ rules: [rule(['configmaps'])] }),
  behaviours: { [HOOK]: denying(status) },
  steps: [post(MAPS, map('denied')), get(`${MAPS}/denied`)],
}));

/** What the answers to failures look like, when they matter and when they do not. */
const FAILURES: WebhookScenario[] = (
  [
    [
      'an error of the server',
      () => ({ raw: { status: 500, headers: { 'content-type': 'text/plain' }, text: 'boom' } }),
    ],
    ['an error without text', () => ({ raw: { status: 502, text: '' } })],
    ['a client error', () => ({ raw: { status: 400, headers: { 'content-type': 'text/plain' }, text: 'bad' } })],
    ['a refusal', () => ({ raw: { status: 403, headers: { 'content-type': 'text/plain' }, text: 'go away' } })],
    ['an unknown path', () => ({ raw: { status: 404, text: '{}' } })],
    ['a strange code', () => ({ raw: { status: 418, text: 'tea' } })],
    [
      'a status',
      () => ({
        raw: {
          status: 500,
          text: '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"worded","code":500}',
        },
      }),
    ],
    ['no body', () => ({ raw: { text: '' } })],
    ['no JSON', () => ({ raw: { text: 'hello' } })],
    ['half of JSON', () => ({ raw: { text: '{"kind":' } })],
    ['a list', () => ({ raw: { text: '[]' } })],
    ['plain text', () => ({ raw: { headers: { 'content-type': 'text/plain' }, text: 'hello' } })],
    ['no response', () => ({ raw: { text: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}' } })],
    ['another uid', () => ({ uid: 'mine', allowed: true })],
    [
      'no kind',
      ({ uid }: { uid: string }) => ({ raw: { text: JSON.stringify({ response: { uid, allowed: true } }) } }),
    ],
    [
      'another kind',
      ({ uid }: { uid: string }) => ({
        raw: { text: JSON.stringify({ kind: 'Pod', apiVersion: 'v1', response: { uid, allowed: true } }) },
      }),
    ],
    [
      'another version',
      ({ uid }: { uid: string }) => ({
        raw: {
          text: JSON.stringify({
            kind: 'AdmissionReview',
            apiVersion: 'admission.k8s.io/v1beta1',
            response: { uid, allowed: true },
          }),
        },
      }),
    ],
    ['a patch of a validation', () => ({ allowed: true, patch: 'W10=', patchType: 'JSONPatch' })],
    ['a patch type of a validation', () => ({ allowed: true, patchType: 'JSONPatch' })],
    ['no time left', () => ({ raw: { text: '{}', delay: 1500 } })],
  ] as const
).map(([what, behaviour]) => ({
  name: `a failure: ${what}`,
  validating: {
    one: [{ name: HOOK, rules: [rule(['configmaps'])], timeoutSeconds: 1 }],
    two: [{ name: OTHER, rules: [rule(['secrets'])], timeoutSeconds: 1, failurePolicy: 'Ignore' }],
  },
  behaviours: { [HOOK]: behaviour, [OTHER]: behaviour },
  steps: [
    post(MAPS, map('failed')),
    post(`/api/v1/namespaces/${NAMESPACE}/secrets`, { metadata: { name: 'failed' } }),
    remove(`/api/v1/namespaces/${NAMESPACE}/secrets/failed`),
  ],
}));

const PATCHES: WebhookScenario[] = (
  [
    ['no patch', { patch: '' }],
    ['an empty patch', { patch: 'W10=', patchType: 'JSONPatch' }],
    ['a patch without type', { patch: 'W10=' }],
    ['a type without patch', { patchType: 'JSONPatch' }],
    ['an empty type', { patch: 'W10=', patchType: '' }],
    [
      'another type',
      { patch: Buffer.from('[{"op":"remove","path":"/data"}]').toString('base64'), patchType: 'MergePatch' },
    ],
    ['no JSON', { patch: Buffer.from('hello').toString('base64'), patchType: 'JSONPatch' }],
    ['no list', { patch: Buffer.from('{"a":1}').toString('base64'), patchType: 'JSONPatch' }],
    ['no base64', { patch: '{"a":1}', patchType: 'JSONPatch' }],
    [
      'a missing path',
      { patch: Buffer.from('[{"op":"remove","path":"/nowhere/a"}]').toString('base64'), patchType: 'JSONPatch' },
    ],
    [
      'a failed test',
      { patch: Buffer.from('[{"op":"test","path":"/data/a","value":"2"}]').toString('base64'), patchType: 'JSONPatch' },
    ],
    [
      'a wrong type of value',
      { patch: Buffer.from('[{"op":"add","path":"/data","value":"x"}]').toString('base64'), patchType: 'JSONPatch' },
    ],
    [
      'an unknown operation',
      { patch: Buffer.from('[{"op":"jump","path":"/data"}]').toString('base64'), patchType: 'JSONPatch' },
    ],
  ] as const
).map(([what, response]) => ({
  name: `a mutation with ${what}`,
  ...mutating({ rules: [rule(['configmaps'])] }),
  behaviours: { [HOOK]: () => ({ allowed: true, ...response }) },
  steps: [post(MAPS, map('patched')), remove(`${MAPS}/patched`)],
}));

/** What is compared between a real control plane and embedded-kube. */
export const WEBHOOK_SCENARIOS: readonly WebhookScenario[] = [
  ...DENIALS,
  ...FAILURES,
  ...PATCHES,
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
    name: 'the older version of reviews',
    ...mutating({ rules: [rule(['configmaps'])], admissionReviewVersions: ['v2', 'v1beta1', 'v1'] }),
    behaviours: { [HOOK]: patching({ op: 'add', path: '/data/b', value: 'beta' }) },
    steps: [post(`${MAPS}?dryRun=All`, map('beta'))],
  },
  {
    name: 'an older review that answers as it likes',
    ...mutating({ rules: [rule(['configmaps'])], admissionReviewVersions: ['v1beta1'] }),
    behaviours: {
      [HOOK]: () => ({
        raw: {
          text: JSON.stringify({
            response: {
              allowed: true,
              patch: Buffer.from('[{"op":"add","path":"/data/b","value":"beta"}]').toString('base64'),
            },
          }),
        },
      }),
    },
    steps: [post(`${MAPS}?dryRun=All`, map('beta'))],
  },
  {
    name: 'a request that has less time than the webhook',
    ...validating({ rules: [rule(['configmaps'])], timeoutSeconds: 20 }),
    behaviours: { [HOOK]: allowing },
    steps: [post(`${MAPS}?dryRun=All&timeout=5s`, map('quick')), post(`${MAPS}?dryRun=All&timeout=1m`, map('quick'))],
  },
  {
    name: 'a refused connection',
    ...validating({ rules: [rule(['configmaps'])], clientConfig: { url: 'https://127.0.0.1:1/hook' } }),
    steps: [post(MAPS, map('refused'))],
  },
  {
    name: 'an untrusted certificate',
    ...validating({ rules: [rule(['configmaps'])], clientConfig: { url: 'https://127.0.0.1:PORT/hook/' } }),
    steps: [post(MAPS, map('untrusted'))],
  },
  {
    name: 'a certificate for another name',
    ...validating({ rules: [rule(['configmaps'])], clientConfig: { url: 'https://localhost:PORT', caBundle: 'CA' } }),
    steps: [post(MAPS, map('untrusted'))],
  },
  {
    name: 'a service that does not exist',
    ...validating({
      rules: [rule(['configmaps'])],
      clientConfig: { service: { namespace: NAMESPACE, name: 'nobody', path: '/x' } },
    }),
    steps: [post(MAPS, map('unserved'))],
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
