import type { KubeRequest } from 'kube-common';
import type { KubeObject } from 'nestjs-kopf';
import { AnnotationsDiffBaseStorage, SmartProgressStorage } from 'nestjs-kopf/storages';
import { PatchParts } from './patch.parts.js';

const DISK: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Disk',
  metadata: {
    name: 'a',
    namespace: 'default',
    uid: '1',
    resourceVersion: '7',
    annotations: { 'kopf.zalando.org/create': '{}', note: 'x' },
    finalizers: ['example.com/hold'],
  },
  spec: { size: 1 },
  status: { size: 1 },
};
const PATH = '/apis/example.com/v1/namespaces/default/disks/a';
const UID = { uid: '1' };
const TEST = { op: 'test', path: '/metadata/resourceVersion', value: '7' };

/** Objects with the disk, and with the CRD of disks unless they are a built-in resource. */
function partsOf(isCustom = true): PatchParts {
  const findNamed = (resource: string): KubeObject | undefined =>
    resource === 'disks.example.com' || (isCustom && resource.startsWith('customresourcedefinitions.'))
      ? DISK
      : undefined;
  const parts = new PatchParts({ findNamed });
  const persistence = {
    progressStorage: new SmartProgressStorage(),
    diffbaseStorage: new AnnotationsDiffBaseStorage(),
  };
  parts.follow({ get: () => ({ persistence }) } as never);
  return parts;
}

function patchOf(type: string, body: object, path = PATH): KubeRequest {
  return { method: 'PATCH', path, headers: { 'content-type': `application/${type}` }, body: JSON.stringify(body) };
}

function namesOf(request: KubeRequest, isCustom?: boolean): readonly string[] | undefined {
  const patch = partsOf(isCustom).of(request);
  return patch && [...patch.parts];
}

describe('PatchParts', () => {
  it.each([
    ['fields of the object', { metadata: UID, spec: { size: 2 } }, ['object']],
    ['the status', { metadata: UID, status: { size: 2 } }, ['object', 'status']],
    [
      'own annotations',
      { metadata: { ...UID, annotations: { 'kopf.zalando.org/create': null } } },
      ['object', 'annotations'],
    ],
    ['annotations of a handler', { metadata: { ...UID, annotations: { note: 'y' } } }, ['object']],
    ['finalizers', { metadata: { ...UID, finalizers: [] } }, ['object', 'finalizers']],
    [
      'what is so already',
      {
        metadata: { ...UID, finalizers: ['example.com/hold'], annotations: DISK.metadata.annotations },
        status: { size: 1 },
      },
      ['object'],
    ],
  ])('should find in merge patches, and in applied objects: %s', (_, body, parts) => {
    expect(namesOf(patchOf('merge-patch+json', body))).toEqual(parts);
    expect(namesOf(patchOf('apply-patch+yaml', body, `${PATH}?fieldManager=a`))).toEqual(parts);
  });

  it.each([
    ['fields of the object', { op: 'replace', path: '/spec/size', value: 2 }, ['object']],
    ['the status', { op: 'add', path: '/status/size', value: 2 }, ['object', 'status']],
    [
      'own annotations',
      { op: 'remove', path: '/metadata/annotations/kopf.zalando.org~1create' },
      ['object', 'annotations'],
    ],
    ['all annotations', { op: 'remove', path: '/metadata/annotations' }, ['object', 'annotations']],
    ['finalizers', { op: 'remove', path: '/metadata/finalizers/0' }, ['object', 'finalizers']],
  ])('should find in JSON patches: %s', (_, operation, parts) => {
    expect(namesOf(patchOf('json-patch+json', [TEST, operation]))).toEqual(parts);
  });

  it('should find nothing but the status in patches of the subresource', () => {
    const body = { metadata: { ...UID, annotations: { 'kopf.zalando.org/create': null } }, status: {} };
    expect(partsOf().of(patchOf('merge-patch+json', body, `${PATH}/status`))).toEqual({
      resource: 'disks.example.com',
      namespace: 'default',
      name: 'a',
      isGenerated: false,
      format: 'merge',
      parts: new Set(['status']),
    });
  });

  it('should find no status that builtin objects do not keep', () => {
    expect(namesOf(patchOf('merge-patch+json', { metadata: UID, status: { size: 2 } }), false)).toEqual(['object']);
  });

  it.each([
    ['a patch that a handler sends itself', patchOf('merge-patch+json', { metadata: { labels: { a: 'b' } } })],
    ['a JSON patch for any version', patchOf('json-patch+json', [{ op: 'remove', path: '/spec' }])],
    ['another request', { ...patchOf('merge-patch+json', { metadata: UID }), method: 'PUT' }],
    [
      'an object that is not there',
      patchOf('merge-patch+json', { metadata: UID }, '/api/v1/namespaces/default/pods/a'),
    ],
  ])('should leave out %s', (_, request) => {
    expect(partsOf().of(request)).toBeUndefined();
  });
});
