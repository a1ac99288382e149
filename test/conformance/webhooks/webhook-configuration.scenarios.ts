import { get, patch, post, put, remove, type WebhookScenario } from './webhook.scenario.js';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const KINDS = {
  Mutating: `${GROUP}/mutatingwebhookconfigurations`,
  Validating: `${GROUP}/validatingwebhookconfigurations`,
};

const RULE = { operations: ['CREATE'], apiGroups: ['none.example'], apiVersions: ['v1'], resources: ['nothings'] };
const WEBHOOK = {
  name: 'one.conformance.example',
  clientConfig: { url: 'https://127.0.0.1:1/x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [RULE],
};

const configuration = (kind: string, name: string, webhooks: unknown): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  metadata: { name },
  webhooks,
});

/** Webhooks that are refused, by what is wrong with them. */
const WRONG: Readonly<Record<string, readonly object[]>> = {
  names: ['', 'UPPER.case.example', 'two.parts', 'under_score.a.b', 'a..b', '.a.b.c'].map((name) => ({ name })),
  clients: [
    {},
    { url: 'http://a.example/x' },
    { url: 'https://' },
    { url: 'https:///path' },
    { url: 'no url' },
    { url: 'https://user@a.example/x' },
    { url: 'https://a.example/x?y=1#z' },
    { url: 'https://a.example', service: { namespace: 'a', name: 'b' } },
    { service: {} },
    { service: { namespace: 'a', name: 'b', port: 70_000, path: '/a' } },
    { service: { namespace: 'a', name: 'b', path: 'no-slash' } },
    { service: { namespace: 'a', name: 'b', path: '//' } },
    { service: { namespace: 'a', name: 'b', path: '/a//UPPER/' } },
  ].map((clientConfig) => ({ clientConfig })),
  policies: [
    { failurePolicy: 'Maybe' },
    { matchPolicy: 'Fuzzy' },
    { reinvocationPolicy: 'Often' },
    { sideEffects: 'Some' },
    { sideEffects: 'Unknown' },
    { sideEffects: undefined },
    { timeoutSeconds: 0 },
    { timeoutSeconds: 31 },
  ],
  versions: [[], ['v2'], ['v1', 'v1'], ['Upper', 'v1'], undefined].map((versions) => ({
    admissionReviewVersions: versions,
  })),
  rules: [
    {},
    { operations: [] },
    { operations: ['*', 'CREATE'] },
    { operations: ['READ'] },
    { apiGroups: ['*', 'a'] },
    { apiVersions: [''] },
    { apiVersions: ['*', 'v1'] },
    { resources: [''] },
    { resources: [] },
    { resources: ['*', 'pods'] },
    { resources: ['pods', '*'] },
    { resources: ['*/*', 'pods'] },
    { resources: ['pods/*', 'pods/status'] },
    { resources: ['*/scale', 'pods/scale'] },
    { scope: 'Everywhere' },
  ].map((rule) => ({ rules: [Object.keys(rule).length > 0 ? { ...RULE, ...rule } : {}] })),
  selectors: [
    { matchLabels: { 'bad key': 'x' } },
    { matchLabels: { good: 'bad value' } },
    { matchExpressions: [{ key: 'a', operator: 'In' }] },
    { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
    { matchExpressions: [{ key: 'a', operator: 'Is', values: ['b'] }] },
    { matchExpressions: [{ key: '', operator: 'NotIn', values: ['b c'] }] },
  ].flatMap((selector) => [{ namespaceSelector: selector }, { objectSelector: selector }]),
  conditions: [
    [{ name: '', expression: 'true' }],
    [{ name: 'a', expression: '' }],
    [{ name: 'a b', expression: 'true' }],
    [
      { name: 'a', expression: 'true' },
      { name: 'a', expression: 'false' },
    ],
    [{ name: 'a', expression: 'nobody == 1' }],
    [{ name: 'a', expression: 'has(object.a) && nobody' }],
    [{ name: 'a', expression: '"text"' }],
    Array.from({ length: 65 }, (_, index) => ({ name: `a${index}`, expression: 'true' })),
  ].map((matchConditions) => ({ matchConditions })),
};

/** Scenarios about the configurations themselves. */
export const CONFIGURATION_SCENARIOS: readonly WebhookScenario[] = [
  ...Object.entries(WRONG).map(([what, changes]) => ({
    name: `configurations with wrong ${what}`,
    steps: changes.flatMap((change) =>
      Object.entries(KINDS).map(([kind, path]) =>
        post(path, configuration(kind, 'wrong', [{ ...WEBHOOK, ...change }])),
      ),
    ),
  })),
  ...Object.entries(KINDS).map(([kind, path]) => ({
    name: `the life of a ${kind} configuration`,
    steps: [
      post(path, configuration(kind, 'Wrong_Name', [])),
      post(path, configuration(kind, 'empty', undefined)),
      post(path, configuration(kind, 'life', [WEBHOOK, WEBHOOK])),
      post(path, configuration(kind, 'life', [WEBHOOK, { ...WEBHOOK, name: 'two.conformance.example', unknown: 1 }])),
      get(`${path}/life`),
      patch(`${path}/life`, { metadata: { labels: { a: 'b' } } }),
      patch(`${path}/life`, { webhooks: [{ ...WEBHOOK, timeoutSeconds: 3 }] }),
      patch(`${path}/life`, { webhooks: [{ ...WEBHOOK, clientConfig: { service: { namespace: 'a', name: 'b' } } }] }),
      patch(
        `${path}/life`,
        { webhooks: [{ name: WEBHOOK.name, failurePolicy: 'Ignore' }] },
        'application/strategic-merge-patch+json',
      ),
      put(`${path}/life`, configuration(kind, 'life', [])),
      remove(`${path}/life`),
      remove(`${path}/empty`),
    ],
  })),
];
