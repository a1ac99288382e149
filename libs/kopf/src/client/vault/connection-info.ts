import type { KubeTransport } from 'kube-common';
import { KopfError } from '../../common/kopf.errors.js';
import { inspect, isDeepStrictEqual } from 'node:util';

/**
 * One API server with the credentials for it.
 *
 * Of each pair of a path and data, at most one is given. Data are PEM texts, or PEM texts in base64 as in kubeconfigs.
 *
 * @example
 * const info: ConnectionInfo = { server: 'https://10.0.0.1:6443', caPath: '/etc/ca.crt', token: process.env.TOKEN };
 */
export interface ConnectionInfo {
  /** The URL of the API server; it may have a path. */
  readonly server: string;
  readonly caPath?: string;
  readonly caData?: string;
  /** Whether any certificate of the server is accepted. @default false */
  readonly insecure?: boolean;
  /** The name that the server's certificate must have, if it is not the server's host. */
  readonly tlsServerName?: string;
  /** The user of basic authentication, along with the password. */
  readonly username?: string;
  readonly password?: string;
  /** The scheme of the `Authorization` header. @default Bearer, if there is a token */
  readonly scheme?: string;
  readonly token?: string;
  /** A file with the token. It is read again from time to time, as tokens in files are rotated. */
  readonly tokenPath?: string;
  readonly certificatePath?: string;
  readonly certificateData?: string;
  readonly privateKeyPath?: string;
  readonly privateKeyData?: string;
  /** The user to impersonate, if the credentials permit it. */
  readonly impersonateUser?: string;
  /** The groups, the unique id, and the further attributes of the impersonated user; only along with `impersonateUser`. */
  readonly impersonateGroups?: readonly string[];
  readonly impersonateUid?: string;
  readonly impersonateExtra?: Readonly<Record<string, readonly string[]>>;
  /** The namespace of objects without one, such as events of cluster-scoped objects. */
  readonly defaultNamespace?: string;
  /** The proxy to the server: `http://proxy:3128`. */
  readonly proxyUrl?: string;
  /** Whether the proxies of `HTTP_PROXY`, `HTTPS_PROXY`, and `NO_PROXY` are used. @default the networking settings' */
  readonly trustEnv?: boolean;
  /** The priority: the credentials of the highest priority are used while there are any. @default 0 */
  readonly priority?: number;
  /** The time at which the credentials expire; the operator logs in again then. */
  readonly expiration?: Date;
  /** A transport to use instead of connections to the server, such as one to an API server in the same process. */
  readonly transport?: KubeTransport;
}

/** The error of credentials that cannot be used: a file is missing or unreadable, a plugin failed, or fields contradict each other. */
export class CredentialsError extends KopfError {
  readonly code: string = 'KOPF_CREDENTIALS';
}

/** The error of a login without credentials that the API server accepts. */
export class LoginError extends CredentialsError {
  override readonly code = 'KOPF_LOGIN';
}

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
  'impersonateGroups',
  'impersonateUid',
  'impersonateExtra',
  'proxyUrl',
  'trustEnv',
  'transport',
] as const;

/**
 * Checks that the fields do not contradict each other.
 *
 * @throws CredentialsError that names the fields, never their values.
 */
export function validateConnectionInfo(info: ConnectionInfo): void {
  for (const [path, data] of EXCLUSIVE_FIELDS) {
    if (info[path] && info[data]) throw new CredentialsError(`Only one of ${path} and ${data} can be set, not both.`);
  }
  const { impersonateUser, impersonateGroups, impersonateUid, impersonateExtra } = info;
  if (!impersonateUser && (impersonateGroups?.length || impersonateUid || Object.keys(impersonateExtra ?? {}).length)) {
    throw new CredentialsError('Groups, a uid, or further attributes are impersonated only along with a user.');
  }
  if (info.transport) return;
  if (!info.server) throw new CredentialsError('The credentials name no server.');
  const protocol = URL.canParse(info.server) ? new URL(info.server).protocol : undefined;
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new CredentialsError('The server of the credentials is not an http or https URL.');
  }
  if (info.proxyUrl && !/^https?:\/\//i.test(info.proxyUrl)) {
    throw new CredentialsError('The proxy of the credentials is not an http or https URL; others are not supported.');
  }
  if (info.proxyUrl && !URL.canParse(info.proxyUrl)) {
    throw new CredentialsError('The proxy of the credentials is not a URL.');
  }
}

/** Whether both have the same user on the same server by the same means. Priorities and expirations are not compared. */
export function isSameConnection(one: ConnectionInfo, other: ConnectionInfo): boolean {
  return IDENTIFYING_FIELDS.every(
    (field) => one[field] === other[field] || isDeepStrictEqual(one[field], other[field]),
  );
}

/** Describes a connection for logs and errors: the server and the kinds of credentials, without secrets. */
export function describeConnection(info: ConnectionInfo): string {
  const means = [
    (info.token || info.tokenPath) && 'a token',
    info.username && `user ${info.username}`,
    (info.certificateData || info.certificatePath) && 'a client certificate',
  ].filter(Boolean);
  return `${describeServer(info.server)} (${means.join(', ') || 'no credentials'})`;
}

/** Returns the URL of the server without user and password. */
export function describeServer(server: string): string {
  if (!URL.canParse(server)) return 'an invalid URL';
  const url = new URL(server);
  return `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;
}

const CONCEALED = '***';

/**
 * Hides the secrets of credentials when they are printed: `console.log(info)` in a login handler. They can be read and copied as before.
 */
export function concealSecrets(info: ConnectionInfo): ConnectionInfo {
  return Object.defineProperty(info, inspect.custom, { value: () => toVisible(info), enumerable: false });
}

function toVisible(info: ConnectionInfo): Partial<ConnectionInfo> {
  const { token, password, privateKeyData, proxyUrl } = info;
  return {
    ...info,
    server: describeServer(info.server),
    ...(token !== undefined && { token: CONCEALED }),
    ...(password !== undefined && { password: CONCEALED }),
    ...(privateKeyData !== undefined && { privateKeyData: CONCEALED }),
    ...(proxyUrl !== undefined && { proxyUrl: describeServer(proxyUrl) }),
  };
}
