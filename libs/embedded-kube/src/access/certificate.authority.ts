import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const YEAR = 365 * 24 * 3600 * 1000;

/** Holds the key, the certificate, and the authority to serve HTTPS and to be trusted, in PEM. */
export interface ServerIdentity {
  readonly caCertificate: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/**
 * Makes a certificate authority of its own and a server certificate by it; the authority's key is not kept.
 *
 * @param now the time from which they are valid, in milliseconds since the epoch; they are for ten years
 * @param hosts the names and addresses that the server is reached by
 */
export async function createServerIdentity(now: number, hosts: readonly string[]): Promise<ServerIdentity> {
  const { subtle } = webcrypto;
  const crypto = webcrypto as unknown as NonNullable<Parameters<typeof X509CertificateGenerator.create>[1]>;
  const usages: webcrypto.KeyUsage[] = ['sign', 'verify'];
  const caKeys = await subtle.generateKey(ALGORITHM, true, usages);
  const serverKeys = await subtle.generateKey(ALGORITHM, true, usages);
  const validity = { notBefore: new Date(now - 3600_000), notAfter: new Date(now + 10 * YEAR) };
  const authority = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: '01',
      name: 'CN=embedded-kube-ca',
      keys: caKeys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
      ...validity,
    },
    crypto,
  );
  const server = await X509CertificateGenerator.create(
    {
      serialNumber: '02',
      subject: 'CN=embedded-kube',
      issuer: authority.subject,
      publicKey: serverKeys.publicKey,
      signingKey: caKeys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([SERVER_AUTH]),
        new SubjectAlternativeNameExtension(hosts.map((value) => ({ type: isAddress(value) ? 'ip' : 'dns', value }))),
      ],
      ...validity,
    },
    crypto,
  );
  const key = Buffer.from(await subtle.exportKey('pkcs8', serverKeys.privateKey)).toString('base64');
  return {
    caCertificate: authority.toString('pem'),
    certificate: server.toString('pem'),
    privateKey: `-----BEGIN PRIVATE KEY-----\n${key.replace(/(.{64})/g, '$1\n').trimEnd()}\n-----END PRIVATE KEY-----\n`,
  };
}

function isAddress(host: string): boolean {
  return host.includes(':') || /^[\d.]+$/.test(host);
}
