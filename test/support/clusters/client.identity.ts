import { webcrypto } from 'node:crypto';
import { Integer } from 'asn1js';
import { Certificate, Extension, ExtKeyUsage, id_ExtKeyUsage, Time } from 'pkijs';
import { readDistinguishedName } from './distinguished.name.js';

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
  const usage = new ExtKeyUsage({ keyPurposes: [CLIENT_AUTH] }).toSchema().toBER();
  const certificate = new Certificate({
    version: 2,
    serialNumber: Integer.fromBigInt(0xf01984716829537en),
    subject: readDistinguishedName(name),
    issuer: readDistinguishedName(name),
    notBefore: new Time({ value: new Date(now - DAY) }),
    notAfter: new Time({ value: new Date(now + DAY) }),
    extensions: [new Extension({ extnID: id_ExtKeyUsage, extnValue: usage })],
  });
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  await certificate.sign(keys.privateKey, ALGORITHM.hash);
  return {
    cert: toPem('CERTIFICATE', certificate.toSchema().toBER()),
    key: toPem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)),
  };
}

/** Writes DER as PEM, on one line. */
export function toPem(label: string, der: ArrayBuffer): string {
  return `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64')}\n-----END ${label}-----\n`;
}
