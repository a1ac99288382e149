import { isIPv4, isIPv6 } from 'node:net';

/** An IP address as bytes: 4 or 16 of them. */
export interface NetworkAddress {
  readonly bytes: Uint8Array;
}

/** The error for a text that is no address, in the words of Go's `netip`. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** Reads an address. @throws AddressError */
export function readAddress(text: string): NetworkAddress {
  const wanted = JSON.stringify(text);
  if (text.includes('%') && isIPv6(text.split('%')[0]!)) {
    throw new AddressError(`IP address ${wanted} with zone value is not allowed`);
  }
  if (isIPv4(text)) return { bytes: Uint8Array.from(text.split('.').map(Number)) };
  if (!isIPv6(text)) {
    throw new AddressError(
      `IP Address ${wanted} parse error during conversion from string: ParseAddr(${wanted}): ${parseReason(text)}`,
    );
  }
  const bytes = readGroups(text);
  if (isMapped(bytes)) throw new AddressError(`IPv4-mapped IPv6 address ${wanted} is not allowed`);
  return { bytes };
}

function parseReason(text: string): string {
  const special = /[.:%]/.exec(text)?.[0];
  if (special === undefined) return 'unable to parse IP';
  if (special === '.' && text.split('.').length < 4) return 'IPv4 address too short';
  if (special === '.' && text.split('.').length > 4) return 'IPv4 address too long';
  return special === '.' ? 'IPv4 field has value >255' : 'unable to parse IP';
}

function readGroups(text: string): Uint8Array {
  const [head = '', tail] = withoutDots(text).split('::');
  const left = head ? head.split(':') : [];
  const right = tail ? tail.split(':') : [];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...(tail === undefined ? [] : zeros), ...right].map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]));
}

/** Writes the last four bytes in groups, where they are written as an address of version 4. */
function withoutDots(text: string): string {
  const dotted = /\d+\.\d+\.\d+\.\d+$/.exec(text)?.[0];
  if (!dotted) return text;
  const [a, b, c, d] = dotted.split('.').map(Number) as [number, number, number, number];
  return `${text.slice(0, -dotted.length)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
}

/** Writes an address in its canonical form. */
export function writeAddress({ bytes }: NetworkAddress): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => (bytes[index * 2]! << 8) | bytes[index * 2 + 1]!);
  const [start, length] = longestZeros(groups);
  const write = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (length < 2) return write(groups);
  return `${write(groups.slice(0, start))}::${write(groups.slice(start + length))}`;
}

function longestZeros(groups: readonly number[]): readonly [start: number, length: number] {
  let best: readonly [number, number] = [0, 0];
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === 0) length += 1;
    if (length > best[1]) best = [start, length];
  }
  return best;
}

/** Sets all bits behind the prefix to zero. */
export function maskAddress({ bytes }: NetworkAddress, prefix: number): NetworkAddress {
  return {
    bytes: bytes.map((byte, index) => {
      const bits = Math.min(Math.max(prefix - index * 8, 0), 8);
      return byte & (0xff << (8 - bits)) & 0xff;
    }),
  };
}

export function sameAddress(a: NetworkAddress, b: NetworkAddress): boolean {
  return Buffer.compare(a.bytes, b.bytes) === 0;
}
