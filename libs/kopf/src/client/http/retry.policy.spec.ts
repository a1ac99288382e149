import { isRepeatable } from './retry.policy.js';

const pods = '/api/v1/namespaces/ns/pods';
const json = { 'content-type': 'application/json-patch+json' };
const named = { metadata: { name: 'web' } };

describe('isRepeatable', () => {
  it.each<[string, string, string, unknown, Record<string, string>?]>([
    ['a question', 'GET', pods, undefined],
    ['a replacement', 'PUT', `${pods}/web`, named],
    ['a deletion by name', 'DELETE', `${pods}/web`, undefined],
    ['a creation under a name', 'POST', pods, named],
    ['a creation under a name without a namespace', 'POST', '/apis/x.dev/v1/things?fieldManager=me', named],
    ['a rehearsal', 'POST', `${pods}?fieldManager=me&dryRun=All`, { metadata: { generateName: 'web-' } }],
    [
      'a review of access',
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: {} },
    ],
    ['a merge patch', 'PATCH', `${pods}/web`, { spec: null }, { 'content-type': 'application/merge-patch+json' }],
    ['an applied object', 'PATCH', `${pods}/web`, named, { 'content-type': 'application/apply-patch+yaml' }],
    [
      'a JSON patch of one version',
      'PATCH',
      `${pods}/web`,
      [
        { op: 'test', path: '/metadata/resourceVersion', value: '1' },
        { op: 'add', path: '/spec/items/-', value: 1 },
      ],
      json,
    ],
    [
      'a JSON patch of fields',
      'PATCH',
      `${pods}/web`,
      [
        { op: 'add', path: '/spec/a', value: 1 },
        { op: 'replace', path: '/spec/items/0', value: 1 },
        { op: 'remove', path: '/spec/b' },
      ],
      json,
    ],
  ])('should tell that %s can be sent again', (_, method, path, payload, headers) => {
    expect(isRepeatable({ method, path, headers, body: JSON.stringify(payload) })).toBe(true);
  });

  it.each<[string, string, string, unknown, Record<string, string>?]>([
    ['a creation under a name that the server makes', 'POST', pods, { metadata: { generateName: 'web-' } }],
    ['a creation of nothing', 'POST', pods, null],
    ['a subresource', 'POST', `${pods}/web/eviction`, named],
    ['a subresource without a namespace', 'POST', '/api/v1/nodes/n/proxy', named],
    ['an item that is appended', 'PATCH', `${pods}/web`, [{ op: 'add', path: '/spec/items/-', value: 1 }], json],
    ['an item that is inserted', 'PATCH', `${pods}/web`, [{ op: 'add', path: '/spec/items/0', value: 1 }], json],
    ['an item that is removed', 'PATCH', `${pods}/web`, [{ op: 'remove', path: '/spec/items/0' }], json],
    ['a field that is moved', 'PATCH', `${pods}/web`, [{ op: 'move', from: '/a', path: '/b' }], json],
    ['an unknown method', 'BREW', pods, undefined],
  ])('should tell that %s cannot be sent again', (_, method, path, payload, headers) => {
    expect(isRepeatable({ method, path, headers, body: JSON.stringify(payload) })).toBe(false);
  });
});
