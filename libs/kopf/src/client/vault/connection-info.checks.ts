import { CredentialsError } from './login.errors.js';
import type { ConnectionInfo } from './connection-info.interface.js';

const EXCLUSIVE_FIELDS = [
  ['caPath', 'caData'],
  ['certificatePath', 'certificateData'],
  ['privateKeyPath', 'privateKeyData'],
] as const;

const IDENTIFYING_FIELDS = [
  ...EXCLUSIVE_FIELDS.flat(),
  'server',
  'insecure',
  'tlsServerName',
  'username',
  'password',
  'scheme',
  'token',
  'tokenPath',
  'impersonateUser',
  'proxyUrl',
  'trustEnv',
  'transport',
] as const;

/**
 * Checks that the fields do not contradict each other.
 *
 * @throws CredentialsError which names the fields, never their values.
 */
export function validateConnectionInfo(info: ConnectionInfo): void {
  for (const [path, data] of EXCLUSIVE_FIELDS) {
    if (info[path] && info[data]) throw new CredentialsError(`Only one of ${path} and ${data} can be set, not both.`);
  }
  if (info.transport) return;
  if (!info.server) throw new CredentialsError('The credentials name no server.');
  const protocol = URL.canParse(info.server) ? new URL(info.server).protocol : undefined;
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new CredentialsError('The server of the credentials is not an http or https URL.');
  }
  if (info.proxyUrl && !URL.canParse(info.proxyUrl)) {
    throw new CredentialsError('The proxy of the credentials is not a URL.');
  }
}

/** Checks whether both mean the same principal on the same server by the same means; priorities and expirations do not count. */
export function isSameConnection(one: ConnectionInfo, other: ConnectionInfo): boolean {
  return IDENTIFYING_FIELDS.every((field) => one[field] === other[field]);
}

/** Describes a connection for logs and errors: the server and the kinds of the credentials, no secrets. */
export function describeConnection(info: ConnectionInfo): string {
  const means = [
    (info.token || info.tokenPath) && 'a token',
    info.username && `user ${info.username}`,
    (info.certificateData || info.certificatePath) && 'a client certificate',
  ].filter(Boolean);
  return `${describeServer(info.server)} (${means.join(', ') || 'no credentials'})`;
}

/** The server's URL without a user and a password. */
export function describeServer(server: string): string {
  if (!URL.canParse(server)) return 'an invalid URL';
  const url = new URL(server);
  return `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;
}
