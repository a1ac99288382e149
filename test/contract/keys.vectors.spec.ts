import { AnnotationKeys, createSuffix, createV1Key, createV2Key } from '../../libs/kopf/src/state/annotation-keys.js';
import { readVectors } from './vectors.js';

const { keys, keysOfDRS } = readVectors();
const body = { kind: 'KopfExample', metadata: {} };

describe('keys of annotations', () => {
  it.each(keys)('should be those of Kopf for $id under $prefix (v1: $v1)', ({ prefix, v1, id, ...expected }) => {
    expect(new AnnotationKeys(prefix, v1).readable(id, body)).toEqual(expected.keys);
    expect(createV1Key(prefix, id)).toBe(expected.v1Key);
    expect(createV2Key(prefix, id)).toBe(expected.v2Key);
    expect(createSuffix(id)).toBe(expected.suffix);
  });

  it.each(keysOfDRS)('should be those of Kopf for $id of a replica set of a deployment', ({ id, keys: expected }) => {
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid: 'u' };
    const replicaSet = { kind: 'ReplicaSet', metadata: { ownerReferences: [owner] } };

    expect(new AnnotationKeys('kopf.zalando.org', true).readable(id, replicaSet)).toEqual(expected);
  });
});
