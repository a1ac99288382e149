import { negotiate } from './media.negotiation.js';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

describe('negotiate', () => {
  it.each([
    [undefined, 'object', false],
    ['*/*', 'object', false],
    ['application/json', 'object', false],
    ['application/vnd.kubernetes.protobuf,application/json', 'object', false],
    [`${TABLE},${TABLE.replace('v1', 'v1beta1')},application/json`, 'table', false],
    ['application/json; as=Table; v=v1beta1; g=meta.k8s.io, application/json', 'object', false],
    ['application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', 'metadata', false],
    ['application/yaml', 'object', true],
  ])('should give %s as %s', (accept, form, yaml) => {
    expect(negotiate(accept)).toEqual({ form, yaml });
  });

  it('should refuse what it has not', () => {
    expect(() => negotiate('application/vnd.kubernetes.protobuf')).toThrow(
      'only the following media types are accepted',
    );
  });
});
