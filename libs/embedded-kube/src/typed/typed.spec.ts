import { TypedCodec } from './typed.codec.js';

const { schema, decoder, encoder, protobuf } = new TypedCodec();
const struct = (kind: string, group = '', version = 'v1') => schema.ofKind({ group, version, kind })!;
const decode = (kind: string, value: unknown, group = '') => {
  const unknown: string[] = [];
  return { value: decoder.decode(value, struct(kind, group), '', unknown), unknown };
};

describe('TypedDecoder', () => {
  it('should put fields in order, and leave out what is unknown, null or zero', () => {
    const { value, unknown } = decode('Pod', {
      status: {},
      extra: 1,
      spec: {
        nodeName: '',
        containers: [{ image: 'i', name: 'c', bad: 1, env: [], ports: null }],
        hostNetwork: false,
        terminationGracePeriodSeconds: 0,
        volumes: [{ name: 'v', emptyDir: {}, configMap: { name: 'm', nope: 1 } }],
      },
    });
    expect(JSON.stringify(value)).toBe(
      '{"spec":{"volumes":[{"name":"v","emptyDir":{},"configMap":{"name":"m"}}],"containers":[{"name":"c","image":"i","env":[]}],"terminationGracePeriodSeconds":0},"status":{}}',
    );
    expect(unknown).toEqual(['spec.volumes[0].configMap.nope', 'spec.containers[0].bad', 'extra']);
  });

  it.each([
    ['ConfigMap', { data: { a: 1 } }, 'cannot unmarshal number into Go struct field ConfigMap.data of type string'],
    [
      'Pod',
      { spec: { containers: {} } },
      'cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      'Pod',
      { spec: { containers: [{ name: 5 }] } },
      'cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
    ],
    ['Pod', { spec: 'x' }, 'cannot unmarshal string into Go struct field PodSpec.spec of type v1.PodSpec'],
    [
      'Pod',
      { spec: { hostNetwork: 'yes' } },
      'cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool',
    ],
    [
      'Pod',
      { spec: { priority: 1.5 } },
      'cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32',
    ],
    ['Event', { firstTimestamp: 'yesterday' }, 'parsing time'],
    [
      'PersistentVolumeClaim',
      { spec: { resources: { requests: { storage: 'big' } } } },
      'quantities must match the regular expression',
    ],
  ])('should refuse a wrong type in %s', (kind, value, message) => {
    expect(() => decode(kind, value)).toThrow(message);
  });

  it('should bring quantities and times into the server’s form', () => {
    const claim = decode('PersistentVolumeClaim', { spec: { resources: { requests: { storage: '1024Mi' } } } });
    expect(claim.value).toMatchObject({ spec: { resources: { requests: { storage: '1Gi' } } } });
    const event = decode('Event', {
      firstTimestamp: '2024-01-01T02:00:00.5+02:00',
      eventTime: '2024-01-01T00:00:00.500000Z',
    });
    expect(event.value).toMatchObject({
      firstTimestamp: '2024-01-01T00:00:00Z',
      eventTime: '2024-01-01T00:00:00.500000Z',
    });
  });

  it('should know every built-in type that another one names', () => {
    const seen = new Set<string>();
    const visit = (name: string): void => {
      if (seen.has(name)) return;
      seen.add(name);
      for (const { type } of schema.find(name)!.fields) {
        let inner = type;
        while (inner.kind !== 'value') inner = inner.of;
        if (inner.of.length > 1) visit(inner.of);
      }
    };
    visit('core.v1.Pod');
    visit('apiextensions.v1.CustomResourceDefinition');
    expect(seen.size).toBeGreaterThan(100);
  });
});

const POD_WITHOUT_ENV = '{"metadata":{},"spec":{"containers":[{"name":"c","resources":{}}]},"status":{}}';

describe('TypedEncoder', () => {
  it.each([
    [
      'Event',
      '',
      { involvedObject: {} },
      '{"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""}',
    ],
    [
      'ReplicaSet',
      'apps',
      { spec: { selector: {} } },
      '{"metadata":{},"spec":{"selector":{},"template":{"metadata":{},"spec":{"containers":null}}},"status":{"replicas":0}}',
    ],
    ['ConfigMap', '', { data: { a: 'b' } }, '{"metadata":{},"data":{"a":"b"}}'],
    ['ConfigMap', '', { data: {}, binaryData: {} }, '{"metadata":{}}'],
    ['Pod', '', { spec: { containers: [{ name: 'c', env: [] }] } }, POD_WITHOUT_ENV],
  ])('should write what %s always has', (kind, group, value, expected) => {
    expect(JSON.stringify(encoder.encode(value, struct(kind, group)))).toBe(expected);
  });
});

describe('ProtobufDecoder', () => {
  const field = (number: number, content: Uint8Array | string): Uint8Array => {
    const bytes = Buffer.from(content);
    const tag = (number << 3) | 2;
    return Buffer.concat([Uint8Array.of(...(tag < 128 ? [tag] : [(tag & 127) | 128, tag >> 7]), bytes.length), bytes]);
  };
  const varint = (number: number, value: number): Uint8Array => Uint8Array.of(number << 3, value);
  const message = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts);
  const envelope = (apiVersion: string, kind: string, content: Uint8Array): Uint8Array =>
    message(Buffer.from('k8s\0'), field(1, message(field(1, apiVersion), field(2, kind))), field(2, content));

  it('should decode texts, numbers, lists, maps, times, quantities and inlined types', () => {
    const container = message(
      field(1, 'main'),
      field(3, 'a'),
      field(3, 'b'),
      field(8, field(2, message(field(1, 'cpu'), field(2, field(1, '1'))))),
    );
    const volume = message(field(1, 'v'), field(2, field(19, field(1, field(1, 'm')))));
    const metadata = message(
      field(1, 'p'),
      field(8, message(Uint8Array.of(8, 1), varint(2, 0))),
      field(11, message(field(1, 'k'), field(2, 'v'))),
    );
    const spec = message(field(1, volume), field(2, container), varint(11, 1), varint(4, 30));
    expect(protobuf.decode(envelope('v1', 'Pod', message(field(1, metadata), field(2, spec))))).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', creationTimestamp: '1970-01-01T00:00:01.000000Z', labels: { k: 'v' } },
      spec: {
        volumes: [{ name: 'v', configMap: { name: 'm' } }],
        containers: [{ name: 'main', command: ['a', 'b'], resources: { requests: { cpu: '1' } } }],
        hostNetwork: true,
        terminationGracePeriodSeconds: 30,
      },
    });
  });

  it.each([
    ['no protobuf', Buffer.from('{}'), /does not appear to be a protobuf message/],
    ['an unknown kind', envelope('v1', 'Thing', Buffer.alloc(0)), /no kind "Thing" is registered for version "v1"/],
    ['too few bytes', envelope('v1', 'Pod', field(1, 'abc')).subarray(0, -2), /unexpected EOF/],
  ])('should refuse %s', (_name, bytes, message_) => {
    expect(() => protobuf.decode(bytes)).toThrow(message_);
  });
});
