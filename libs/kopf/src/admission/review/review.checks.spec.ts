import { checkReview } from './review.checks.js';

const request = {
  uid: 'u',
  operation: 'CREATE',
  resource: { group: 'kopf.dev', version: 'v1', resource: 'kopfexamples' },
  userInfo: {},
  object: { metadata: { name: 'a' } },
};
const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };

describe('checkReview', () => {
  it.each<[string, object]>([
    ['the current version', review],
    ['the version before', { ...review, apiVersion: 'admission.k8s.io/v1beta1' }],
    ['no version and kind', { request }],
    ['a deletion', { request: { ...request, operation: 'DELETE', object: null, oldObject: {} } }],
    ['a connection', { request: { ...request, operation: 'CONNECT', object: { stdin: true }, subResource: 'exec' } }],
    ['more than is known', { ...review, request: { ...request, dryRun: true, options: {}, extra: 1 } }],
  ])('should accept %s', (_what, input) => {
    expect(checkReview(input)).toBe(input);
  });

  it.each<[unknown, string]>([
    [undefined, 'is not an object'],
    [null, 'is not an object'],
    ['review', 'is not an object'],
    [[review], 'is not an object'],
    [{}, 'has no request'],
    [{ ...review, kind: 'Pod' }, 'no AdmissionReview'],
    [{ ...review, apiVersion: 'v1' }, 'must be of admission.k8s.io/v1 or'],
    [{ request: 'x' }, 'has no request'],
    [{ request: [] }, 'has no request'],
    [{ request: { ...request, uid: undefined } }, 'no uid'],
    [{ request: { ...request, uid: 1 } }, 'no uid'],
    [{ request: { ...request, operation: 'create' } }, 'one of CREATE, UPDATE, DELETE, CONNECT'],
    [{ request: { ...request, operation: ['CREATE'] } }, 'one of CREATE'],
    [{ request: { ...request, resource: undefined } }, 'no resource'],
    [{ request: { ...request, resource: { group: '', version: 'v1' } } }, 'no resource.resource'],
    [{ request: { ...request, userInfo: null } }, 'no userInfo'],
    [{ request: { ...request, subResource: 1 } }, 'subResource must be'],
    [{ request: { ...request, dryRun: 'yes' } }, 'dryRun must be'],
    [{ request: { ...request, object: null } }, 'no object'],
    [{ request: { ...request, object: [] } }, 'object must be'],
    [{ request: { ...request, oldObject: 'x' } }, 'oldObject must be'],
    [{ request: { ...request, object: { metadata: 1 } } }, 'object.metadata must be'],
    [{ request: { ...request, object: { metadata: { labels: [] } } } }, 'object.metadata.labels must be'],
    [{ request: { ...request, object: { metadata: { annotations: null } } } }, 'object.metadata.annotations must be'],
  ])('should refuse %j', (input, message) => {
    expect(() => checkReview(input)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(message) }),
    );
  });
});
