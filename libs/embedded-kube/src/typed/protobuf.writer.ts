/** The writer of a protobuf message, field by field. */
export class ProtobufWriter {
  private readonly parts: Uint8Array[] = [];

  /** Writes a text, a message, or bytes. */
  bytes(number: number, value: string | Uint8Array | ProtobufWriter): this {
    const bytes =
      value instanceof ProtobufWriter ? value.finish() : typeof value === 'string' ? Buffer.from(value) : value;
    this.parts.push(varint((BigInt(number) << 3n) | 2n), varint(BigInt(bytes.length)), bytes);
    return this;
  }

  /** Writes an integer or a boolean. */
  integer(number: number, value: number | bigint | boolean): this {
    const integer = typeof value === 'bigint' ? value : BigInt(Math.trunc(Number(value)));
    this.parts.push(varint(BigInt(number) << 3n), varint(BigInt.asUintN(64, integer)));
    return this;
  }

  double(number: number, value: number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.parts.push(varint((BigInt(number) << 3n) | 1n), bytes);
    return this;
  }

  finish(): Uint8Array {
    return Buffer.concat(this.parts);
  }
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
