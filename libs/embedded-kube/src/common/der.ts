/** An element of DER: its content, and the bytes of the whole element. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  readonly bytes: Buffer;
}

const SEQUENCE = 0x30;
const CONSTRUCTED = 0x20;

/** Reads the elements that stand one after the other. @throws Error if one of them is not complete */
export function readElements(der: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let start = 0; start < der.length;) {
    const { size, offset } = lengthAt(der, start + 1);
    const end = offset + size;
    if (end > der.length) throw new Error('asn1: syntax error: data truncated');
    elements.push({ tag: der[start]!, content: der.subarray(offset, end), bytes: der.subarray(start, end) });
    start = end;
  }
  return elements;
}

/** Reads the elements of a sequence. @throws Error if the element is none */
export function readSequence(element: DerElement | undefined): DerElement[] {
  if (element?.tag === SEQUENCE) return readElements(element.content);
  throw new Error("asn1: structure error: tags don't match");
}

/** Looks into everything that holds other elements. @throws Error if one of them is not complete */
export function assertComplete(der: Buffer): void {
  for (const { tag, content } of readElements(der)) if ((tag & CONSTRUCTED) !== 0) assertComplete(content);
}

/** Reads a length; one of more than 127 bytes is told by several. */
function lengthAt(der: Buffer, at: number): { readonly size: number; readonly offset: number } {
  const first = der[at];
  if (first === undefined) throw new Error('asn1: syntax error: truncated tag or length');
  if (first < 0x80) return { size: first, offset: at + 1 };
  const count = first & 0x7f;
  if (count === 0 || count > 4 || at + count >= der.length) {
    throw new Error('asn1: syntax error: truncated tag or length');
  }
  return { size: der.readUIntBE(at + 1, count), offset: at + 1 + count };
}

/** Writes elements of DER. */
export const der = {
  sequence: (...members: readonly Uint8Array[]) => element(SEQUENCE, ...members),
  set: (...members: readonly Uint8Array[]) => element(0x31, ...members),
  /** @param bytes a number that is not negative, its most significant byte first */
  integer: (bytes: Uint8Array) => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const digits = first < 0 ? new Uint8Array(1) : bytes.subarray(first);
    return element(0x02, ...(digits[0]! < 0x80 ? [] : [new Uint8Array(1)]), digits);
  },
  true: () => element(0x01, Uint8Array.of(0xff)),
  identifier: (dotted: string) => {
    const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
    return element(0x06, Uint8Array.from([first * 40 + second, ...others.flatMap(inSevenBits)]));
  },
  text: (value: string) => element(0x0c, Buffer.from(value)),
  octets: (...contents: readonly Uint8Array[]) => element(0x04, ...contents),
  /** @param unused how many bits at the end do not count */
  bits: (bytes: Uint8Array, unused = 0) => element(0x03, Uint8Array.of(unused), bytes),
  /** @param time in milliseconds since the epoch; until 2049, years have two digits */
  time: (time: number) => {
    const digits = new Date(time).toISOString().replace(/\.\d+|[-:T]/g, '');
    return digits < '2050' ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits));
  },
  /** An element that the context explains: one with elements in it, or one with bytes. */
  explicit: (tag: number, ...members: readonly Uint8Array[]) => element(0xa0 | tag, ...members),
  implicit: (tag: number, bytes: Uint8Array) => element(0x80 | tag, bytes),
};

function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Uint8Array.of(tag, length), content]);
  const digits = Buffer.alloc(4);
  digits.writeUInt32BE(length);
  const size = digits.subarray(digits.findIndex((byte) => byte !== 0));
  return Buffer.concat([Uint8Array.of(tag, 0x80 | size.length), size, content]);
}

/** The bytes of a part of an identifier: seven bits each, and a mark on all but the last. */
function inSevenBits(part: number): number[] {
  const bytes = [part & 0x7f];
  for (let rest = part >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}
