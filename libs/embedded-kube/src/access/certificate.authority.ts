import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { BitString, Integer, OctetString, Utf8String } from 'asn1js';
import {
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  CertificationRequest,
  ExtKeyUsage,
  Extension,
  GeneralName,
  GeneralNames,
  RelativeDistinguishedNames,
  Time,
} from 'pkijs';
import { readAddress } from '../common/network.address.js';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const COMMON_NAME = '2.5.4.3';
const KEY_USAGE = '2.5.29.15';
const ALTERNATIVE_NAMES = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
/** The uses of a key, as a bit string: its first byte, and how many bits of it are not used. */
const SIGNS_CERTIFICATES = { byte: 0b0000_0110, unusedBits: 1 };
const SIGNS = { byte: 0b1000_0000, unusedBits: 7 };
const SIGNS_AND_ENCIPHERS = { byte: 0b1010_0000, unusedBits: 5 };
/** The kinds of alternative names. */
const DNS_NAME = 2;
const IP_ADDRESS = 7;
const YEAR = 365 * 24 * 3600 * 1000;

/** The key, the certificate, and the authority that clients trust, in PEM. */
export interface ServerIdentity {
  readonly caCertificate: string;
  readonly certificate: string;
  readonly privateKey: string;
  /** The key of the authority, which signs the certificates of clients. */
  readonly caPrivateKey: string;
}

/** The part of a certificate that differs from one to the next. Times are in milliseconds since the epoch. */
interface CertificateDraft {
  readonly serialNumber: Uint8Array<ArrayBuffer>;
  readonly subject: RelativeDistinguishedNames;
  readonly issuer: RelativeDistinguishedNames;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: Extension[];
}

/**
 * Creates a certificate authority, and a server certificate that it signs.
 *
 * @param now the time from which they are valid, in milliseconds since the epoch; they are for ten years
 * @param hosts the names and addresses that the server is reached by
 */
export async function createServerIdentity(now: number, hosts: readonly string[]): Promise<ServerIdentity> {
  const [caKeys, serverKeys] = await Promise.all([generateKeys(), generateKeys()]);
  const issuer = nameOf('embedded-kube-ca');
  const validity = { issuer, notBefore: now - 3600_000, notAfter: now + 10 * YEAR };
  const authority = await issue(
    {
      serialNumber: Uint8Array.of(1),
      subject: issuer,
      extensions: [authorityOf(true), keyUsage(SIGNS_CERTIFICATES)],
      ...validity,
    },
    caKeys.publicKey,
    caKeys.privateKey,
  );
  const server = await issue(
    {
      serialNumber: Uint8Array.of(2),
      subject: nameOf('embedded-kube'),
      extensions: [keyUsage(SIGNS), extendedKeyUsage([SERVER_AUTH]), alternativeNames(hosts)],
      ...validity,
    },
    serverKeys.publicKey,
    caKeys.privateKey,
  );
  return {
    caCertificate: certificatePem(authority),
    certificate: certificatePem(server),
    privateKey: await keyPem(serverKeys.privateKey),
    caPrivateKey: await keyPem(caKeys.privateKey),
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
export async function signCertificate(
  { caCertificate, caPrivateKey }: ServerIdentity,
  request: string,
  usages: readonly string[],
  now: number,
  lifetime = YEAR / 1000,
): Promise<string> {
  const requested = CertificationRequest.fromBER(derOf(request));
  if (!(await requested.verify())) throw new Error('the signature of the request is not valid');
  const certificate = await issue(
    {
      serialNumber: createSerialNumber(),
      subject: requested.subject,
      issuer: Certificate.fromBER(derOf(caCertificate)).subject,
      notBefore: now - 300_000,
      notAfter: now + lifetime * 1000,
      extensions: [
        keyUsage(SIGNS_AND_ENCIPHERS),
        extendedKeyUsage(usages.flatMap((usage) => USAGES[usage] ?? [])),
        authorityOf(false),
      ],
    },
    await requested.getPublicKey(),
    await webcrypto.subtle.importKey('pkcs8', derOf(caPrivateKey), ALGORITHM, false, ['sign']),
  );
  return `${certificatePem(certificate)}\n`;
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function issue(
  { serialNumber, subject, issuer, notBefore, notAfter, extensions }: CertificateDraft,
  publicKey: webcrypto.CryptoKey,
  signingKey: webcrypto.CryptoKey,
): Promise<Certificate> {
  const certificate = new Certificate({
    version: 2,
    serialNumber: new Integer({ valueHex: serialNumber }),
    subject,
    issuer,
    notBefore: timeOf(notBefore),
    notAfter: timeOf(notAfter),
    extensions,
  });
  await certificate.subjectPublicKeyInfo.importKey(publicKey);
  await certificate.sign(signingKey, ALGORITHM.hash);
  return certificate;
}

/** Makes sixteen bytes of a positive number, none of which is superfluous at the beginning. */
function createSerialNumber(): Uint8Array<ArrayBuffer> {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return bytes;
}

function timeOf(milliseconds: number): Time {
  const value = new Date(milliseconds);
  // Certificates have whole seconds.
  value.setUTCMilliseconds(0);
  // A time of two digits for its year ends in 2049.
  return new Time({ type: value.getUTCFullYear() < 2050 ? 0 : 1, value });
}

function nameOf(commonName: string): RelativeDistinguishedNames {
  const value = new Utf8String({ value: commonName });
  return new RelativeDistinguishedNames({ typesAndValues: [new AttributeTypeAndValue({ type: COMMON_NAME, value })] });
}

function authorityOf(cA: boolean): Extension {
  return extension(BASIC_CONSTRAINTS, new BasicConstraints({ cA }).toSchema(), true);
}

function keyUsage({ byte, unusedBits }: typeof SIGNS): Extension {
  return extension(KEY_USAGE, new BitString({ valueHex: Uint8Array.of(byte), unusedBits }), true);
}

function extendedKeyUsage(keyPurposes: string[]): Extension {
  return extension(EXTENDED_KEY_USAGE, new ExtKeyUsage({ keyPurposes }).toSchema());
}

function alternativeNames(hosts: readonly string[]): Extension {
  const names = hosts.map((host) =>
    isIP(host)
      ? new GeneralName({ type: IP_ADDRESS, value: new OctetString({ valueHex: readAddress(host).bytes }) })
      : new GeneralName({ type: DNS_NAME, value: host }),
  );
  return extension(ALTERNATIVE_NAMES, new GeneralNames({ names }).toSchema());
}

function extension(extnID: string, value: { toBER(): ArrayBuffer }, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: value.toBER() });
}

function certificatePem(certificate: Certificate): string {
  return pemOf('CERTIFICATE', certificate.toSchema().toBER());
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  return `${pemOf('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', key))}\n`;
}

function pemOf(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n');
}

function derOf(pem: string): Buffer<ArrayBuffer> {
  return Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
}
