import { get, patching, post, remove, rule, type WebhookScenario } from './webhook.scenario.js';
import { denying, HOOK, map, MAPS, mutating, OTHER, validating } from './webhook.objects.js';
import { NAMESPACE } from './webhook.side.js';

/** Scenarios about the responses to denials. */
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

/** Scenarios about the responses to failures, with both failure policies. */
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

/** Reviews of the older version. */
const OLDER: WebhookScenario[] = [
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
];

/** Scenarios about webhooks that cannot be reached. */
const CONNECTIONS: WebhookScenario[] = [
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
];

/** Scenarios about the responses of webhooks. */
export const ANSWER_SCENARIOS: readonly WebhookScenario[] = [
  ...DENIALS,
  ...FAILURES,
  ...PATCHES,
  ...OLDER,
  ...CONNECTIONS,
];
