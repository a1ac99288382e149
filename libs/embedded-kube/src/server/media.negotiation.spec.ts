import { negotiate } from './media.negotiation.js';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

describe('negotiate', () => {
  it.each([
    [undefined, 'object', false],
    ['*/*', 'object', false],
    ['application/json', 'object', false],
    ['application/vnd.kubernetes.protobuf,application/json', 'object', false],
    [`${TABLE},${TABLE.replace('v1', 'v1beta1')},application/json`, 'table', false],
    ['application/json; as=Table; v=v2; g=meta.k8s.io, application/json', 'object', false],
    ['application/yaml', 'object', true],
  ])('should give %s as %s', (accept, form, yaml) => {
    expect(negotiate(accept)).toEqual({ form, yaml });
  });

  it('should know the older version, and tell metadata of lists from those of objects', () => {
    const beta = 'application/json; as=Table; v=v1beta1; g=meta.k8s.io, application/json';
    expect(negotiate(beta)).toEqual({ form: 'table', yaml: false, metaVersion: 'v1beta1' });
    const metadata = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    expect(negotiate(metadata)).toEqual({ form: 'metadata', yaml: false, ofList: false });
    expect(negotiate(metadata.replace('Metadata;', 'MetadataList;'))).toMatchObject({ ofList: true });
  });

  it('should refuse what it has not', () => {
    for (const accept of ['application/cbor', 'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io']) {
      expect(() => negotiate(accept)).toThrow('only the following media types are accepted');
    }
    const protobuf = { form: 'object', yaml: false, protobuf: true };
    expect(negotiate('application/vnd.kubernetes.protobuf')).toEqual(protobuf);
  });
});
