import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { ExtendedKeyUsageExtension, X509CertificateGenerator } from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const DAY = 86_400_000;

/** A self-signed certificate of a client and its key, in PEM. */
export interface ClientIdentity {
  readonly cert: string;
  readonly key: string;
}

/**
 * Makes a certificate as a user would with `openssl req -x509`.
 *
 * @param name as `CN=Example Common Name,E=example@kopf.dev`
 */
export async function createClientIdentity(name: string, now: number): Promise<ClientIdentity> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: 'f01984716829537e',
      name,
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [new ExtendedKeyUsageExtension([CLIENT_AUTH])],
      notBefore: new Date(now - DAY),
      notAfter: new Date(now + DAY),
    },
    webcrypto as unknown as NonNullable<Parameters<typeof X509CertificateGenerator.createSelfSigned>[1]>,
  );
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return { cert: certificate.toString('pem'), key: `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n` };
}
