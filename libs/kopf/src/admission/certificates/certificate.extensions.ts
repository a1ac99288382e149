import { webcrypto } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import { BitString, OctetString } from 'asn1js';
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  ExtKeyUsage,
  Extension,
  GeneralName,
  GeneralNames,
  id_AuthorityKeyIdentifier,
  id_BasicConstraints,
  id_ExtKeyUsage,
  id_KeyUsage,
  id_SubjectAltName,
  id_SubjectKeyIdentifier,
} from 'pkijs';

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
/** The kinds of alternative names. */
const DNS_NAME = 2;
const IP_ADDRESS = 7;
/** The uses of a key, as a bit string: its first byte, and how many bits of it are not used. */
const SIGNS_CERTIFICATES = { byte: 0b0000_0110, unusedBits: 1 };
const SIGNS = { byte: 0b1000_0000, unusedBits: 7 };

/** Creates the extensions of an authority that signs certificates of servers, but no other authorities. */
export async function authorityExtensions(publicKey: webcrypto.CryptoKey): Promise<Extension[]> {
  const keyIdentifier = await identifyKey(publicKey);
  return [
    extension(id_BasicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }).toSchema(), true),
    keyUsage(SIGNS_CERTIFICATES),
    extension(id_SubjectKeyIdentifier, keyIdentifier),
  ];
}

/**
 * Creates the extensions of a server's certificate.
 *
 * @param names host names and addresses that the server is reached by.
 * @param authorityKey the public key of the authority that signs it.
 */
export async function serverExtensions(
  names: readonly string[],
  authorityKey: webcrypto.CryptoKey,
): Promise<Extension[]> {
  const keyIdentifier = await identifyKey(authorityKey);
  return [
    extension(id_BasicConstraints, new BasicConstraints({ cA: false }).toSchema(), true),
    keyUsage(SIGNS),
    extension(id_ExtKeyUsage, new ExtKeyUsage({ keyPurposes: [SERVER_AUTH] }).toSchema()),
    extension(id_SubjectAltName, new GeneralNames({ names: names.map(alternativeName) }).toSchema()),
    extension(id_AuthorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier }).toSchema()),
  ];
}

/** Hashes a key as RFC 5280 proposes, so that clients find the right authority among several in a bundle. */
async function identifyKey(key: webcrypto.CryptoKey): Promise<OctetString> {
  const { subtle } = webcrypto;
  return new OctetString({ valueHex: await subtle.digest('SHA-1', await subtle.exportKey('raw', key)) });
}

function keyUsage({ byte, unusedBits }: typeof SIGNS): Extension {
  return extension(id_KeyUsage, new BitString({ valueHex: Uint8Array.of(byte), unusedBits }), true);
}

function alternativeName(name: string): GeneralName {
  return isIP(name)
    ? new GeneralName({ type: IP_ADDRESS, value: new OctetString({ valueHex: addressBytes(name) }) })
    : new GeneralName({ type: DNS_NAME, value: name });
}

/** Reads the 4 or 16 bytes of an IP address. A zone, as in `fe80::1%eth0`, is left out, as certificates have none. */
function addressBytes(address: string): Uint8Array<ArrayBuffer> {
  if (isIPv4(address)) return Uint8Array.from(address.split('.').map(Number));
  // A URL writes an IPv6 address in groups only, also if it was given with an IPv4 address at its end.
  const { hostname } = new URL(`http://[${address.split('%')[0]}]`);
  const [head, tail = []] = hostname.slice(1, -1).split('::').map(groupsOf);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return Uint8Array.from([...head, ...zeros, ...tail].flatMap((group) => [group >> 8, group & 0xff]));
}

function groupsOf(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function extension(extnID: string, value: { toBER(): ArrayBuffer }, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: value.toBER() });
}
