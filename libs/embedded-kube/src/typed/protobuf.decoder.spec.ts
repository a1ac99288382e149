import { ProtobufDecoder } from './protobuf.decoder.js';
import { ProtobufWriter } from './protobuf.writer.js';
import { TypedSchema } from './typed.schema.js';

const message = (): ProtobufWriter => new ProtobufWriter();
const schema = (type: string): ProtobufWriter => message().bytes(5, type);

/** Encodes a definition whose only version has the schema, as Go's clients write them. */
function definition(root: ProtobufWriter): Uint8Array {
  const version = message().bytes(1, 'v1').integer(2, true).integer(3, true).bytes(4, message().bytes(1, root));
  const spec = message().bytes(1, 'kopf.dev').bytes(4, 'Namespaced').bytes(7, version).integer(10, false);
  const head = message().bytes(1, 'apiextensions.k8s.io/v1').bytes(2, 'CustomResourceDefinition');
  const object = message().bytes(2, spec);
  return Buffer.concat([Buffer.from('k8s\0'), message().bytes(1, head).bytes(2, object).finish()]);
}

describe('ProtobufDecoder', () => {
  const decode = (root: ProtobufWriter): unknown => {
    const { spec } = new ProtobufDecoder(new TypedSchema()).decode(definition(root)) as {
      spec: { versions: { schema: { openAPIV3Schema: unknown } }[] };
    };
    return spec.versions[0]!.schema.openAPIV3Schema;
  };

  it('should decode the items of lists, be they of one schema or of several', () => {
    expect(decode(schema('array').bytes(24, message().bytes(1, schema('string'))))).toEqual({
      type: 'array',
      items: { type: 'string' },
    });
    const several = message().bytes(2, schema('string')).bytes(2, schema('integer'));
    expect(decode(schema('array').bytes(24, several))).toEqual({
      type: 'array',
      items: [{ type: 'string' }, { type: 'integer' }],
    });
  });

  it('should decode additional properties, be they allowed, forbidden, or described', () => {
    const additional = (value: ProtobufWriter): unknown => decode(message().bytes(30, value));
    expect(additional(message().integer(1, true))).toEqual({ additionalProperties: true });
    expect(additional(message().integer(1, false))).toEqual({ additionalProperties: false });
    expect(additional(message().integer(1, true).bytes(2, schema('string')))).toEqual({
      additionalProperties: { type: 'string' },
    });
    expect(
      additional(
        message()
          .integer(1, true)
          .bytes(2, message().bytes(24, message().bytes(1, schema('a')))),
      ),
    ).toEqual({
      additionalProperties: { items: { type: 'a' } },
    });
  });

  it('should decode dependencies, be they names or schemas', () => {
    const pair = (key: string, value: ProtobufWriter): ProtobufWriter => message().bytes(1, key).bytes(2, value);
    const root = message()
      .bytes(32, pair('a', message().bytes(2, 'b').bytes(2, 'c')))
      .bytes(32, pair('d', message().bytes(1, schema('object'))));
    expect(decode(root)).toEqual({ dependencies: { a: ['b', 'c'], d: { type: 'object' } } });
  });
});
