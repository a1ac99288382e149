import type { KubeTransport } from '../http/kube-transport.interface.js';

/**
 * One API server with the credentials for it.
 *
 * Of every pair of a path and data at most one is given. Data are PEM texts, or PEM texts in base64 as in kubeconfigs.
 *
 * @example
 * const info: ConnectionInfo = { server: 'https://10.0.0.1:6443', caPath: '/etc/ca.crt', token: process.env.TOKEN };
 */
export interface ConnectionInfo {
  /** The URL of the API server; it may have a path. */
  readonly server: string;
  readonly caPath?: string;
  readonly caData?: string;
  /** Accepts any certificate of the server. @default false */
  readonly insecure?: boolean;
  /** The name that the server's certificate must have, if it is not the server's host. */
  readonly tlsServerName?: string;
  /** For basic authentication, along with the password. */
  readonly username?: string;
  readonly password?: string;
  /** The scheme of the `Authorization` header. @default Bearer, if there is a token */
  readonly scheme?: string;
  readonly token?: string;
  /** A file with the token, which is read again from time to time, as tokens in files are rotated. */
  readonly tokenPath?: string;
  readonly certificatePath?: string;
  readonly certificateData?: string;
  readonly privateKeyPath?: string;
  readonly privateKeyData?: string;
  /** The user to act as, if the credentials permit it. */
  readonly impersonateUser?: string;
  /** The namespace for what has none: events of cluster-scoped objects. */
  readonly defaultNamespace?: string;
  /** The proxy to the server: `http://proxy:3128`. */
  readonly proxyUrl?: string;
  /** Uses the proxies of `HTTP_PROXY`, `HTTPS_PROXY`, and `NO_PROXY`. @default the networking settings' */
  readonly trustEnv?: boolean;
  /** Credentials of the highest priority are used as long as there are any. @default 0 */
  readonly priority?: number;
  /** Tells when the credentials expire; the operator logs in again then. */
  readonly expiration?: Date;
  /** A transport to use instead of connections to the server, such as one to an API server in the same process. */
  readonly transport?: KubeTransport;
}
