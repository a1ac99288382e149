import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { decodePem } from '../http/tls.material.js';
import type { ConnectionInfo } from './connection-info.js';

/**
 * Reads the user of a connection from its credentials: the impersonated user, the user of basic authentication, the subject of a JSON web
 * token, or the common name of the client certificate. The API server is not asked.
 */
export async function readPrincipal(info: ConnectionInfo): Promise<string | undefined> {
  const { impersonateUser, username, token } = info;
  return impersonateUser ?? (token && readSubject(token)) ?? username ?? (await readCommonName(info));
}

function readSubject(token: string): string | undefined {
  try {
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    // Most tokens are not JSON web tokens.
    return undefined;
  }
}

/** Reads the name that API servers take for that of the user. */
async function readCommonName({ certificatePath, certificateData }: ConnectionInfo): Promise<string | undefined> {
  try {
    const pem = certificatePath
      ? await readFile(certificatePath, 'utf8')
      : certificateData && decodePem(certificateData);
    return pem ? /^CN=(.*)$/m.exec(new X509Certificate(pem).subject)?.[1] : undefined;
  } catch {
    // Unusable credentials are reported when they are used.
    return undefined;
  }
}
