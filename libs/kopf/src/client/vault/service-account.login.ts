import { access, readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { type ConnectionInfo, concealSecrets } from './connection-info.js';
import { TlsMaterial } from '../http/tls.material.js';
import { readPrincipal } from './principal.js';
import type { TriedCredentials } from './rejected.credentials.js';

/** The place where the service account is mounted; replaced in tests. */
export interface ServiceAccountLoginOptions {
  /** The folder that Kubernetes mounts into pods. @default /var/run/secrets/kubernetes.io/serviceaccount */
  readonly folder?: string;
  /** @default the environment of the process */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The priority of the credentials of service accounts, as in Kopf. */
const PRIORITY = 20;

/** The login with the credentials that Kubernetes mounts into pods. The token is read again periodically, as it is rotated. */
export class ServiceAccountLogin {
  constructor(private readonly options: ServiceAccountLoginOptions = {}) {}

  /** Reads the credentials of the pod's service account; `undefined` outside of pods. */
  async login(): Promise<ConnectionInfo | undefined> {
    const folder = this.options.folder ?? FOLDER;
    const tokenPath = join(folder, 'token');
    const caPath = join(folder, 'ca.crt');
    const [token, namespace, ca] = await Promise.all([
      readText(tokenPath),
      readText(join(folder, 'namespace')),
      access(caPath).then(
        () => caPath,
        () => undefined,
      ),
    ]);
    if (!token) return undefined;
    return concealSecrets({
      server: this.findServer(),
      token,
      tokenPath,
      ...(ca && { caPath: ca }),
      ...(namespace && { defaultNamespace: namespace }),
      priority: PRIORITY,
    });
  }

  private findServer(): string {
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = this.options.environment ?? process.env;
    if (!host) return 'https://kubernetes.default.svc';
    return `https://${isIPv6(host) ? `[${host}]` : host}${port ? `:${port}` : ''}`;
  }
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').then(
    (text) => text.trim() || undefined,
    () => undefined,
  );
}

/**
 * Reads the files of credentials. Credentials with another token or certificate than before are different credentials, even if their files
 * have the same names. Unreadable files are ignored.
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
