import { readFile } from 'node:fs/promises';
import { CredentialsError } from './login.errors.js';
import type { Clock } from '../../common/clock.js';
import type { ConnectionInfo } from './connection-info.interface.js';
import { AuthProviderCredentials } from './auth-provider.credentials.js';
import { runCredentialPlugin } from './exec.credentials.js';
import type { SelectedContext } from './kubeconfig.data.js';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Makes the connection of a context: runs the plugin or asks the provider, if the user has one. */
export class KubeConfigConnector {
  private readonly providers = new AuthProviderCredentials();

  constructor(private readonly clock: Clock) {}

  /** @throws CredentialsError if the credentials cannot be got. */
  async connect(selected: SelectedContext): Promise<ConnectionInfo> {
    const { user, cluster } = selected;
    const info = describe(selected);
    if (user.exec) Object.assign(info, await runCredentialPlugin(user.exec, cluster, this.clock));
    const provider = user['auth-provider'];
    if (provider?.name === 'tokenFile') info.tokenPath = provider.config?.tokenFile;
    else if (provider && !info.token) Object.assign(info, await this.providers.get(selected));
    if (info.tokenPath) info.token = await readToken(info.tokenPath);
    for (const key of Object.keys(info) as (keyof ConnectionInfo)[]) {
      if (info[key] === undefined || info[key] === null || info[key] === '') delete info[key];
    }
    return info;
  }
}

/** As in kubectl, data are stronger than files. */
function describe({ context, cluster, user }: SelectedContext): Writable<ConnectionInfo> {
  const file = <T>(data: T | undefined, path: string | undefined): string | undefined => (data ? undefined : path);
  return {
    server: cluster.server!,
    caData: cluster['certificate-authority-data'],
    caPath: file(cluster['certificate-authority-data'], cluster['certificate-authority']),
    insecure: cluster['insecure-skip-tls-verify'],
    tlsServerName: cluster['tls-server-name'],
    proxyUrl: cluster['proxy-url'],
    token: user.token,
    tokenPath: user.tokenFile,
    username: user.username,
    password: user.password,
    certificateData: user['client-certificate-data'],
    certificatePath: file(user['client-certificate-data'], user['client-certificate']),
    privateKeyData: user['client-key-data'],
    privateKeyPath: file(user['client-key-data'], user['client-key']),
    impersonateUser: user.as,
    defaultNamespace: context.namespace,
  };
}

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw new CredentialsError(`Cannot read the token file ${path}: ${(error as NodeJS.ErrnoException).code}`);
  }
}
