import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { readAddress } from '../cel/library/network.address.js';
import { der, type DerElement, readElements, readSequence } from '../common/der.js';
import { describeRequestError } from '../kinds/validation/certificate-request.parser.js';

const ECDSA_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const SUBJECT_KEY = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const SUBJECT_NAMES = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const AUTHORITY_KEY = '2.5.29.35';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
/** Uses of keys as bits, the first of the standard's list being the highest, and how many bits at the end do not count. */
const CERTIFICATE_SIGNING = [0x06, 1] as const;
const DIGITAL_SIGNATURE = [0x80, 7] as const;
const SIGNATURE_AND_ENCIPHERMENT = [0xa0, 5] as const;
const YEAR = 365 * 24 * 3600 * 1000;

/** Holds the key, the certificate, and the authority to serve HTTPS and to be trusted, in PEM. */
export interface ServerIdentity {
  readonly caCertificate: string;
  readonly certificate: string;
  readonly privateKey: string;
  /** The key of the authority, which signs the certificates of clients. */
  readonly caPrivateKey: string;
}

/**
 * Makes a certificate authority of its own and a server certificate by it: by hand, as libraries for certificates take longer to load
 * than the whole server.
 *
 * @param now the time from which they are valid, in milliseconds since the epoch; they are for ten years
 * @param hosts the names and addresses that the server is reached by
 */
export function createServerIdentity(now: number, hosts: readonly string[]): ServerIdentity {
  const ca = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [caKey, serverKey] = [ca, server].map(({ publicKey }) => publicKey.export({ format: 'der', type: 'spki' }));
  const name = nameOf('embedded-kube-ca');
  const validity = [now - 3600_000, now + 10 * YEAR] as const;
  const common = { issuer: name, validity, signingKey: ca.privateKey };
  const caCertificate = certificate({
    ...common,
    serial: Uint8Array.of(1),
    subject: name,
    publicKey: caKey!,
    extensions: [
      extension(BASIC_CONSTRAINTS, der.sequence(der.true()), true),
      usageExtension(CERTIFICATE_SIGNING),
      extension(SUBJECT_KEY, der.octets(keyIdentifier(caKey!))),
    ],
  });
  const serverCertificate = certificate({
    ...common,
    serial: Uint8Array.of(2),
    subject: nameOf('embedded-kube'),
    publicKey: serverKey!,
    extensions: [
      usageExtension(DIGITAL_SIGNATURE),
      extension(EXTENDED_KEY_USAGE, der.sequence(der.identifier(SERVER_AUTH))),
      extension(SUBJECT_NAMES, der.sequence(...hosts.map(hostName))),
      authorityExtension(caKey!),
    ],
  });
  return {
    caCertificate: pem('CERTIFICATE', caCertificate),
    certificate: pem('CERTIFICATE', serverCertificate),
    privateKey: keyPem(server.privateKey),
    caPrivateKey: keyPem(ca.privateKey),
  };
}

const USAGES: Readonly<Record<string, string>> = { 'client auth': CLIENT_AUTH, 'server auth': SERVER_AUTH };

/**
 * Signs a request for a certificate.
 *
 * @param request a PKCS #10 request in PEM
 * @param usages such as `client auth`
 * @param now in milliseconds since the epoch
 * @param lifetime in seconds
 * @returns the certificate in PEM
 * @throws Error if it is no request, or not signed by its own key
 */
export function signCertificate(
  { caCertificate, caPrivateKey }: ServerIdentity,
  request: string,
  usages: readonly string[],
  now: number,
  lifetime = YEAR / 1000,
): string {
  const problem = describeRequestError(request);
  if (problem) throw new Error(problem);
  const [, subject, publicKey] = readSequence(contentOf(request)[0]);
  // The version comes first and is tagged; the serial number, the algorithm, the issuer and the validity come before the subject.
  const [, , , , , caSubject, caKey] = readSequence(contentOf(caCertificate)[0]);
  const signed = certificate({
    serial: randomBytes(16),
    issuer: caSubject!.bytes,
    subject: subject!.bytes,
    publicKey: publicKey!.bytes,
    validity: [now - 300_000, now + lifetime * 1000],
    signingKey: createPrivateKey(caPrivateKey),
    extensions: [
      usageExtension(SIGNATURE_AND_ENCIPHERMENT),
      extension(
        EXTENDED_KEY_USAGE,
        der.sequence(...usages.flatMap((usage) => USAGES[usage] ?? []).map(der.identifier)),
      ),
      extension(BASIC_CONSTRAINTS, der.sequence(), true),
      authorityExtension(caKey!.bytes),
    ],
  });
  return `${pem('CERTIFICATE', signed)}\n`;
}

interface CertificateParts {
  readonly serial: Uint8Array;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  /** In milliseconds since the epoch. */
  readonly validity: readonly [from: number, until: number];
  readonly publicKey: Uint8Array;
  readonly signingKey: KeyObject;
  readonly extensions: readonly Uint8Array[];
}

/** An X.509 certificate of version 3, in DER. */
function certificate(parts: CertificateParts): Buffer {
  const algorithm = der.sequence(der.identifier(ECDSA_SHA256));
  const content = der.sequence(
    der.explicit(0, der.integer(Uint8Array.of(2))),
    der.integer(parts.serial),
    algorithm,
    parts.issuer,
    der.sequence(...parts.validity.map(der.time)),
    parts.subject,
    parts.publicKey,
    der.explicit(3, der.sequence(...parts.extensions)),
  );
  return der.sequence(content, algorithm, der.bits(sign('sha256', content, parts.signingKey)));
}

function extension(identifier: string, value: Uint8Array, isCritical = false): Buffer {
  return der.sequence(der.identifier(identifier), ...(isCritical ? [der.true()] : []), der.octets(value));
}

function usageExtension([bits, unused]: readonly [bits: number, unused: number]): Buffer {
  return extension(KEY_USAGE, der.bits(Uint8Array.of(bits), unused), true);
}

/** Some clients refuse certificates that do not say which key has signed them. */
function authorityExtension(caKey: Buffer): Buffer {
  return extension(AUTHORITY_KEY, der.sequence(der.implicit(0, keyIdentifier(caKey))));
}

/** Names a public key by a digest of its bits. */
function keyIdentifier(publicKey: Buffer): Buffer {
  const [, bits] = readSequence(readElements(publicKey)[0]);
  return createHash('sha1').update(bits!.content.subarray(1)).digest();
}

function nameOf(commonName: string): Buffer {
  return der.sequence(der.set(der.sequence(der.identifier(COMMON_NAME), der.text(commonName))));
}

/** A name or an address, which is in certificates without its zone, and of version 4 if it is mapped to version 6. */
function hostName(host: string): Buffer {
  const address = host.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) ? der.implicit(7, readAddress(address).bytes) : der.implicit(2, Buffer.from(host));
}

/** The elements of what is signed, and its signature. */
function contentOf(text: string): DerElement[] {
  const [, base64 = ''] = /-----BEGIN [^-]+-----([^-]*)-----END/.exec(text) ?? [];
  return readSequence(readElements(Buffer.from(base64, 'base64'))[0]);
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----`;
}

function keyPem(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }) as string;
}
