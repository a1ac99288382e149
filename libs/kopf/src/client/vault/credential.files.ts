import { readFile } from 'node:fs/promises';
import type { ConnectionInfo } from './connection-info.interface.js';
import { TlsMaterial } from '../http/tls.material.js';
import { readPrincipal } from './principal.js';
import type { TriedCredentials } from './rejected.credentials.js';

/**
 * Adds what is in the files of credentials now: credentials with another token or certificate than before are other
 * credentials, even if their files are the same. What cannot be read is left as it is.
 */
export function readCredentialFiles(infos: ReadonlyMap<string, ConnectionInfo>): Promise<TriedCredentials[]> {
  return Promise.all(
    [...infos].map(async ([key, given]) => {
      const [info, files] = await Promise.all([readToken(given), new TlsMaterial(given).version()]);
      return { key, info, files, user: await readPrincipal(info) };
    }),
  );
}

async function readToken(info: ConnectionInfo): Promise<ConnectionInfo> {
  if (!info.tokenPath) return info;
  try {
    const token = (await readFile(info.tokenPath, 'utf8')).trim();
    return token ? { ...info, token } : info;
  } catch {
    return info;
  }
}
