import { TypedCodec } from './typed.codec.js';

const { protobufEncoder, protobuf } = new TypedCodec();

describe('ProtobufEncoder', () => {
  it.each([
    [
      { group: '', version: 'v1', kind: 'Pod' },
      {
        metadata: {
          name: 'a',
          labels: { x: 'y', z: '' },
          generation: 9007199254740993n,
          creationTimestamp: '2026-01-02T03:04:05.000000Z',
          ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u', controller: true }],
          managedFields: [{ manager: 'm', operation: 'Update', fieldsV1: { 'f:spec': {} } }],
        },
        spec: {
          containers: [
            {
              name: 'c',
              image: 'i',
              ports: [{ containerPort: 80 }],
              resources: { limits: { cpu: '1' } },
              readinessProbe: { httpGet: { port: 'http' } },
              livenessProbe: { tcpSocket: { port: 80 } },
            },
          ],
          activeDeadlineSeconds: -5,
        },
      },
    ],
    [
      { group: '', version: 'v1', kind: 'Secret' },
      { metadata: { name: 's' }, data: { key: 'AP9/', none: '' }, type: 'Opaque', immutable: false },
    ],
    [
      { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenReview' },
      { metadata: {}, spec: { token: 't' }, status: { user: { username: 'u', extra: { a: ['b', 'c'], d: [] } } } },
    ],
    [
      { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
      {
        spec: {
          versions: [
            {
              name: 'v1',
              schema: {
                openAPIV3Schema: {
                  default: { a: [1] },
                  maximum: 1.5,
                  items: { type: 'string' },
                  additionalProperties: { items: [{ type: 'a' }, { type: 'b' }] },
                  dependencies: { x: ['y'], z: { type: 'object' } },
                  properties: { open: { additionalProperties: true }, closed: { additionalProperties: false } },
                },
              },
            },
          ],
        },
      },
    ],
  ])('should encode %j so that it is decoded to the same', (kind, object) => {
    const { group, version, kind: name } = kind;
    const apiVersion = group ? `${group}/${version}` : version;
    expect(protobuf.decode(protobufEncoder.object(kind, object)!)).toEqual({ kind: name, apiVersion, ...object });
  });

  it('should know built-in kinds only', () => {
    const kind = { group: 'kopf.dev', version: 'v1', kind: 'KopfExample' };
    expect(protobufEncoder.object(kind, {})).toBeUndefined();
    expect(protobufEncoder.list(kind, 'KopfExampleList', {}, [])).toBeUndefined();
  });
});
