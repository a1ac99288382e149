/** A field of a protobuf message as it stands in the bytes. */
export interface WireField {
  readonly number: number;
  /** A number for variable-length and fixed fields, the bytes for all others. */
  readonly value: bigint | number | Uint8Array;
}

/**
 * Reads the fields of a protobuf message.
 *
 * @throws RangeError if the bytes end too early or are no message
 */
export function* readFields(bytes: Uint8Array): Generator<WireField> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = 0;
  const varint = (): bigint => {
    let result = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (position >= bytes.length) break;
      const byte = bytes[position++]!;
      result |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, result);
    }
    throw new RangeError('unexpected EOF');
  };
  const take = (length: number): number => {
    const start = position;
    position += length;
    if (length < 0 || position > bytes.length) throw new RangeError('unexpected EOF');
    return start;
  };
  while (position < bytes.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: view.getFloat64(take(8), true) };
        break;
      case 2: {
        const length = Number(varint());
        const start = take(length);
        yield { number, value: bytes.subarray(start, start + length) };
        break;
      }
      case 5:
        yield { number, value: view.getFloat32(take(4), true) };
        break;
      default:
        throw new RangeError(`proto: illegal wireType ${tag & 7}`);
    }
  }
}
