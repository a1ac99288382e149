import type { CelDeclaration } from '../checking/cel.functions.js';
import { CelEvaluationError } from '../values/cel.error.js';
import { type CelType, opaque } from '../values/cel.type.js';
import { CelOpaque } from '../values/cel.value.js';
import {
  AddressError,
  maskAddress,
  type NetworkAddress,
  readAddress,
  sameAddress,
  writeAddress,
} from '../../common/network.address.js';

/** The types of addresses and networks in expressions. */
export const IP: CelType = opaque('net.IP');
export const CIDR: CelType = opaque('net.CIDR');

class CelIp extends CelOpaque {
  override readonly type = IP;

  constructor(readonly address: NetworkAddress) {
    super();
  }

  override equals(other: CelIp): boolean {
    return sameAddress(this.address, other.address);
  }

  override get size(): number {
    return this.address.bytes.length;
  }
}

class CelCidr extends CelOpaque {
  override readonly type = CIDR;

  constructor(
    readonly address: NetworkAddress,
    readonly prefix: number,
  ) {
    super();
  }

  override equals(other: CelCidr): boolean {
    return this.prefix === other.prefix && sameAddress(this.address, other.address);
  }

  override get size(): number {
    return Math.ceil(this.prefix / 8);
  }
}

function attempt<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AddressError) throw new CelEvaluationError(error.message);
    throw error;
  }
}

function holds(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

function ip(text: string): CelIp {
  return new CelIp(attempt(() => readAddress(text)));
}

function cidr(text: string): CelCidr {
  const slash = text.lastIndexOf('/');
  const shown = `network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)})`;
  if (slash < 0) throw new CelEvaluationError(`${shown}: no '/'`);
  const bits = text.slice(slash + 1);
  let address: NetworkAddress;
  try {
    address = readAddress(text.slice(0, slash));
  } catch (error) {
    const { message } = error as Error;
    if (message.startsWith('IPv4-mapped'))
      throw new CelEvaluationError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
    const reason = message.includes('with zone')
      ? 'IPv6 zones cannot be present in a prefix'
      : message.replace(/^.*conversion from string: /, '');
    throw new CelEvaluationError(`${shown}: ${reason}`);
  }
  if (!/^(?:0|[1-9]\d*)$/.test(bits))
    throw new CelEvaluationError(`${shown}: bad bits after slash: ${JSON.stringify(bits)}`);
  if (Number(bits) > address.bytes.length * 8) throw new CelEvaluationError(`${shown}: prefix length out of range`);
  return new CelCidr(address, Number(bits));
}

function containsIp({ address, prefix }: CelCidr, other: CelIp): boolean {
  if (address.bytes.length !== other.address.bytes.length) return false;
  return sameAddress(maskAddress(address, prefix), maskAddress(other.address, prefix));
}

function containsCidr(network: CelCidr, other: CelCidr): boolean {
  return other.prefix >= network.prefix && containsIp(network, new CelIp(other.address));
}

function startsWith(
  { address: { bytes } }: CelIp,
  four: readonly number[],
  six: (bytes: Uint8Array) => boolean,
): boolean {
  return bytes.length === 4 ? four.every((byte, index) => bytes[index] === byte) : six(bytes);
}

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);
const isUnspecified = (value: CelIp): boolean => isZero(value.address.bytes);
const isLoopback = (value: CelIp): boolean =>
  startsWith(value, [127], (bytes) => isZero(bytes.slice(0, 15)) && bytes[15] === 1);
const isLinkLocalMulticast = (value: CelIp): boolean =>
  startsWith(value, [224, 0, 0], (bytes) => bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2);
const isLinkLocalUnicast = (value: CelIp): boolean =>
  startsWith(value, [169, 254], (bytes) => bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80);

function isGlobalUnicast(value: CelIp): boolean {
  const { bytes } = value.address;
  const isMulticast = bytes.length === 4 ? (bytes[0]! & 0xf0) === 0xe0 : bytes[0] === 0xff;
  const isBroadcast = bytes.length === 4 && bytes.every((byte) => byte === 255);
  return !isMulticast && !isBroadcast && !isUnspecified(value) && !isLoopback(value) && !isLinkLocalUnicast(value);
}

/** Kubernetes' functions on IP addresses and networks. */
export const NETWORK_LIBRARY: readonly CelDeclaration[] = [
  ['string_to_ip', 'ip(string) net.IP', ip],
  ['is_ip', 'isIP(string) bool', (text: string) => holds(() => ip(text))],
  ['ip_is_canonical', "'ip.isCanonical'(string) bool", (text: string) => writeAddress(ip(text).address) === text],
  ['ip_to_string', 'string(net.IP) string', ({ address }: CelIp) => writeAddress(address)],
  ['ip_family', 'net.IP.family() int', ({ address }: CelIp) => (address.bytes.length === 4 ? 4n : 6n)],
  ['ip_is_unspecified', 'net.IP.isUnspecified() bool', isUnspecified],
  ['ip_is_loopback', 'net.IP.isLoopback() bool', isLoopback],
  ['ip_is_link_local_multicast', 'net.IP.isLinkLocalMulticast() bool', isLinkLocalMulticast],
  ['ip_is_link_local_unicast', 'net.IP.isLinkLocalUnicast() bool', isLinkLocalUnicast],
  ['ip_is_global_unicast', 'net.IP.isGlobalUnicast() bool', isGlobalUnicast],
  ['string_to_cidr', 'cidr(string) net.CIDR', cidr],
  ['is_cidr', 'isCIDR(string) bool', (text: string) => holds(() => cidr(text))],
  [
    'cidr_contains_ip_string',
    'net.CIDR.containsIP(string) bool',
    (network: CelCidr, text: string) => containsIp(network, ip(text)),
  ],
  ['cidr_contains_ip_ip', 'net.CIDR.containsIP(net.IP) bool', containsIp],
  [
    'cidr_contains_cidr_string',
    'net.CIDR.containsCIDR(string) bool',
    (network: CelCidr, text: string) => containsCidr(network, cidr(text)),
  ],
  ['cidr_contains_cidr', 'net.CIDR.containsCIDR(net.CIDR) bool', containsCidr],
  ['cidr_ip', 'net.CIDR.ip() net.IP', ({ address }: CelCidr) => new CelIp(address)],
  ['cidr_prefix_length', 'net.CIDR.prefixLength() int', ({ prefix }: CelCidr) => BigInt(prefix)],
  [
    'cidr_masked',
    'net.CIDR.masked() net.CIDR',
    ({ address, prefix }: CelCidr) => new CelCidr(maskAddress(address, prefix), prefix),
  ],
  ['cidr_to_string', 'string(net.CIDR) string', ({ address, prefix }: CelCidr) => `${writeAddress(address)}/${prefix}`],
];
