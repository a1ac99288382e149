import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
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
 * Makes a certificate authority of its own and a server certificate by it.
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
  return {
    caCertificate: authority.toString('pem'),
    certificate: server.toString('pem'),
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
  const { subtle } = webcrypto;
  const crypto = webcrypto as unknown as NonNullable<Parameters<typeof X509CertificateGenerator.create>[1]>;
  const requested = new Pkcs10CertificateRequest(request);
  if (!(await requested.verify(crypto))) throw new Error('the signature of the request is not valid');
  const der = Buffer.from(caPrivateKey.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: Buffer.from(webcrypto.getRandomValues(new Uint8Array(16))).toString('hex'),
      subject: requested.subject,
      issuer: new X509Certificate(caCertificate).subject,
      publicKey: requested.publicKey,
      signingKey: await subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']),
      signingAlgorithm: ALGORITHM,
      notBefore: new Date(now - 300_000),
      notAfter: new Date(now + lifetime * 1000),
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
        new ExtendedKeyUsageExtension(usages.flatMap((usage) => USAGES[usage] ?? [])),
        new BasicConstraintsExtension(false, undefined, true),
      ],
    },
    crypto,
  );
  return `${certificate.toString('pem')}\n`;
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const text = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${text.replace(/(.{64})/g, '$1\n').trimEnd()}\n-----END PRIVATE KEY-----\n`;
}

function isAddress(host: string): boolean {
  return host.includes(':') || /^[\d.]+$/.test(host);
}
