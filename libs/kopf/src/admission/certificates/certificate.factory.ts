import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { Clock } from '../../common/clock.js';
import type { Random } from '../../common/random.js';
import type { ServerCertificate, CertificateSource } from './server.certificate.js';
import type { AdmissionServerContext } from '../servers/admission-server.interface.js';
import { sleep } from '../../common/waiting.js';
import { RENEWAL, changeInStages } from './certificate.checks.js';

/** Holds the data for a new certificate. */
export interface CertificateRequest {
  /** Host names and addresses; at least one. */
  readonly names: readonly string[];
  /** Limits for how long the certificate is valid, in seconds. */
  readonly lifetime: number;
}

/** A certificate by an authority that is only there for it. */
export type GeneratedCertificate = Required<Omit<ServerCertificate, 'password'>>;

type X509 = typeof import('@peculiar/x509');
type CryptoOf = NonNullable<Parameters<X509['X509CertificateGenerator']['create']>[1]>;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
/** Lets certificates begin earlier, as the clocks of clients may be late by so many milliseconds. */
const CLOCK_SKEW = 3600_000;
/** The most characters of a common name. */
const LONGEST_NAME = 64;

/**
 * Makes a certificate, its key, and an authority that nothing else is signed by: the authority's key is not kept.
 *
 * The library for it is loaded only now, and the work is done outside of the event loop.
 */
export async function generateCertificate(
  { names, lifetime }: CertificateRequest,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<GeneratedCertificate> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const { subtle } = webcrypto;
  const crypto = webcrypto as unknown as CryptoOf;
  const [caKeys, keys] = await Promise.all([generateKeys(), generateKeys()]);
  const now = clock.now();
  const validity = { notBefore: new Date(now - CLOCK_SKEW), notAfter: new Date(now + lifetime * 1000) };
  const id = createSerialNumber(random);
  const authority = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: id,
      // Of several authorities in a bundle, clients find the right one by its name.
      name: [{ CN: [`kopf-webhooks-ca-${id}`] }],
      keys: caKeys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey, false, crypto),
      ],
      ...validity,
    },
    crypto,
  );
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: createSerialNumber(random),
      subject: [{ CN: [chooseCommonName(names)] }],
      issuer: authority.subjectName,
      publicKey: keys.publicKey,
      signingKey: caKeys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([SERVER_AUTH]),
        new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
        await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey, false, crypto),
      ],
      ...validity,
    },
    crypto,
  );
  const privateKey = toPem('PRIVATE KEY', await subtle.exportKey('pkcs8', keys.privateKey));
  return { certificate: `${certificate.toString('pem')}\n`, privateKey, caBundle: `${authority.toString('pem')}\n` };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/** Sixteen bytes as hexadecimal digits, of a positive number. */
function createSerialNumber(random: Random): string {
  const bytes = Array.from({ length: 16 }, () => Math.floor(random.next() * 256));
  bytes[0] = (bytes[0] & 0x3f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

function chooseCommonName(names: readonly string[]): string {
  const name = names.find((each) => !isIP(each)) ?? names[0];
  return name.length <= LONGEST_NAME ? name : 'kopf-webhooks';
}

function toPem(label: string, der: ArrayBuffer): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .replace(/(.{64})(?=.)/g, '$1\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

/** Limits for how long a certificate is valid, in seconds: a year. */
const LIFETIME = 365 * 86_400;

/** Certificates that the server makes itself, which live no longer than the process, and of which nothing is stored. */
export class SelfSignedCertificates implements CertificateSource {
  /** @param bundleDelay seconds from the publication of a new authority to its first use. */
  constructor(private readonly bundleDelay: number) {}

  async *provide(
    names: readonly string[],
    context: AdmissionServerContext,
  ): AsyncGenerator<ServerCertificate, void, undefined> {
    const { clock, signal, logger } = context;
    const request = { names, lifetime: LIFETIME };
    let current = await generateCertificate(request, context);
    logger.debug(() => `A self-signed certificate was made for ${names.join(', ')}.`);
    yield current;
    while (await sleep(clock, LIFETIME * RENEWAL, signal)) {
      const next = await generateCertificate(request, context);
      yield* changeInStages(current, next, this.bundleDelay, context);
      current = next;
    }
  }
}
