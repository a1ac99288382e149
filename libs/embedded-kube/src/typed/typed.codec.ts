// typed: the Go types of the built-in kinds. Decodes, prunes and orders objects as the real server does, also from protobuf.
// Apart from the kinds because merging (apply) and OpenAPI (discovery) need the types, too.
// May import: common, errors, resources.

import { ProtobufDecoder } from './protobuf.decoder.js';
import { ProtobufEncoder } from './protobuf.encoder.js';
import { TypedDecoder } from './typed.decoder.js';
import { TypedEncoder } from './typed.encoder.js';
import { describeConversion } from './type.conversion.js';
import { describeMismatch } from './type.mismatch.js';
import { TypedSchema, type TypedStruct } from './typed.schema.js';

/** The encoders and decoders of the built-in types. */
export class TypedCodec {
  readonly schema = new TypedSchema();
  readonly decoder = new TypedDecoder(this.schema);
  readonly encoder = new TypedEncoder(this.schema);
  /** The encoder of objects as requests have them. */
  readonly sentEncoder = new TypedEncoder(this.schema, true);
  readonly protobuf = new ProtobufDecoder(this.schema);
  readonly protobufEncoder = new ProtobufEncoder(this.schema);

  /** Describes the error of the real server for an object that a strategic merge patch has made; `undefined` if there is none. */
  describeConversion(object: unknown, struct: TypedStruct): string | undefined {
    return describeConversion(this.schema, object, struct);
  }

  /** Describes the error of Go for a body that does not fit the type; `undefined` if there is none. */
  describeMismatch(body: unknown, struct: TypedStruct): string | undefined {
    return describeMismatch(this.schema, body, struct);
  }
}
