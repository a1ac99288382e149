import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { Integer, Utf8String } from 'asn1js';
import { AttributeTypeAndValue, Certificate, type Extension, RelativeDistinguishedNames, Time } from 'pkijs';
import type { Clock, Random } from 'kube-common';
import { authorityExtensions, serverExtensions } from './certificate.extensions.js';
import type { ServerCertificate } from './server.certificate.js';

/** The data of a new certificate. */
export interface CertificateRequest {
  /** Host names and addresses; at least one. */
  readonly names: readonly string[];
  /** The seconds for which the certificate is valid. */
  readonly lifetime: number;
}

/** A certificate whose authority has signed nothing else. */
export type GeneratedCertificate = Required<Omit<ServerCertificate, 'password'>>;

/** The part of a certificate that differs from one to the next. */
interface CertificateDraft {
  readonly serialNumber: Uint8Array<ArrayBuffer>;
  readonly subject: RelativeDistinguishedNames;
  readonly issuer: RelativeDistinguishedNames;
  readonly notBefore: Time;
  readonly notAfter: Time;
  readonly extensions: Extension[];
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const COMMON_NAME = '2.5.4.3';
/** The milliseconds by which certificates are valid earlier, as the clocks of clients may be behind the clock of this host. */
const CLOCK_SKEW = 24 * 3600_000;
/** The most characters of a common name. */
const LONGEST_NAME = 64;

/**
 * Creates a certificate, its key, and an authority that has signed nothing else, whose key is not kept.
 *
 * The keys are generated outside of the event loop. Import this file only when a certificate is needed, as its library takes long to load.
 */
export async function generateCertificate(
  { names, lifetime }: CertificateRequest,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<GeneratedCertificate> {
  const [caKeys, keys] = await Promise.all([generateKeys(), generateKeys()]);
  const now = clock.now();
  const id = createSerialNumber(random);
  // Clients find the authority by its name among several in a bundle.
  const issuer = nameOf(`kopf-webhooks-ca-${Buffer.from(id).toString('hex')}`);
  const common = { issuer, notBefore: timeOf(now - CLOCK_SKEW), notAfter: timeOf(now + lifetime * 1000) };
  const authority = await issueCertificate(
    { serialNumber: id, subject: issuer, extensions: await authorityExtensions(caKeys.publicKey), ...common },
    caKeys.publicKey,
    caKeys.privateKey,
  );
  const certificate = await issueCertificate(
    {
      serialNumber: createSerialNumber(random),
      subject: nameOf(chooseCommonName(names)),
      extensions: await serverExtensions(names, caKeys.publicKey),
      ...common,
    },
    keys.publicKey,
    caKeys.privateKey,
  );
  const privateKey = toPem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { certificate, privateKey, caBundle: authority };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function issueCertificate(
  { serialNumber, ...draft }: CertificateDraft,
  publicKey: webcrypto.CryptoKey,
  signingKey: webcrypto.CryptoKey,
): Promise<string> {
  const certificate = new Certificate({
    version: 2,
    serialNumber: new Integer({ valueHex: serialNumber }),
    ...draft,
  });
  await certificate.subjectPublicKeyInfo.importKey(publicKey);
  await certificate.sign(signingKey, ALGORITHM.hash);
  return toPem('CERTIFICATE', certificate.toSchema().toBER());
}

/** Creates a serial number: a positive number of sixteen bytes without superfluous ones at the beginning, as DER requires. */
function createSerialNumber(random: Random): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from({ length: 16 }, () => Math.floor(random.next() * 256));
  bytes[0] = (bytes[0] & 0x3f) | 0x40;
  return bytes;
}

function chooseCommonName(names: readonly string[]): string {
  const name = names.find((each) => !isIP(each)) ?? names[0];
  return name.length <= LONGEST_NAME ? name : 'kopf-webhooks';
}

function nameOf(commonName: string): RelativeDistinguishedNames {
  const value = new Utf8String({ value: commonName });
  return new RelativeDistinguishedNames({ typesAndValues: [new AttributeTypeAndValue({ type: COMMON_NAME, value })] });
}

function timeOf(milliseconds: number): Time {
  const value = new Date(milliseconds);
  // Times in certificates are whole seconds.
  value.setUTCMilliseconds(0);
  // UTCTime has two digits for the year, and ends in 2049.
  return new Time({ type: value.getUTCFullYear() < 2050 ? 0 : 1, value });
}

function toPem(label: string, der: ArrayBuffer): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .replace(/(.{64})(?=.)/g, '$1\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
