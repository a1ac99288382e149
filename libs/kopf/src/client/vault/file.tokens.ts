import { readFile } from 'node:fs/promises';
import type { ConnectionInfo } from '../../interfaces/connection-info.interface.js';

/**
 * Adds the tokens that are in files now: credentials with another token than before are other credentials,
 * even if their file is the same. What cannot be read is left as it is.
 */
export async function readFileTokens(
  infos: ReadonlyMap<string, ConnectionInfo>,
): Promise<ReadonlyMap<string, ConnectionInfo>> {
  const entries = [...infos].map(async ([key, info]) => [key, await readToken(info)] as const);
  return new Map(await Promise.all(entries));
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
