import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { CredentialsError, type ConnectionInfo, concealSecrets } from './connection-info.js';
import type { Clock } from 'kube-common';
import {
  mergeKubeConfigs,
  parseKubeConfig,
  selectContext,
  type KubeConfigCluster,
  type KubeConfigData,
  type SelectedContext,
} from './kubeconfig.data.js';
import { AuthProviderCredentials } from './auth-provider.credentials.js';
import { runCredentialPlugin } from './exec.credentials.js';

/** The selection of the kubeconfig and the context. */
export interface KubeConfigLoginOptions {
  readonly clock: Clock;
  /** The files, separated as in `KUBECONFIG`. @default the environment's `KUBECONFIG`, else `~/.kube/config` */
  readonly paths?: string;
  /** The context. @default the current one */
  readonly context?: string;
  /** @default the environment of the process */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The priority of credentials from kubeconfigs, as in Kopf. */
const PRIORITY = 10;

/** The login with the credentials of kubeconfig files, which are read at each login. */
export class KubeConfigLogin {
  private readonly connector: KubeConfigConnector;

  constructor(private readonly options: KubeConfigLoginOptions) {
    this.connector = new KubeConfigConnector(options.clock);
  }

  /**
   * Reads the credentials of the context; `undefined` if there is no kubeconfig, and none was requested.
   *
   * @throws CredentialsError if a given kubeconfig does not exist, or its credentials cannot be used.
   */
  async login(): Promise<ConnectionInfo | undefined> {
    const paths = await this.findPaths();
    if (!paths.length) return undefined;
    const data = await this.readAll(paths);
    const source = `The kubeconfig ${paths.join(delimiter)}`;
    const selected = selectContext(data, source, this.options.context ?? data.currentContext);
    return concealSecrets({ ...(await this.connector.connect(selected)), priority: PRIORITY });
  }

  /**
   * Reads the content of the kubeconfigs, without using any credentials.
   *
   * @throws CredentialsError if a given kubeconfig does not exist, or is malformed.
   */
  async load(): Promise<KubeConfigData> {
    return this.readAll(await this.findPaths());
  }

  private async readAll(paths: readonly string[]): Promise<KubeConfigData> {
    return mergeKubeConfigs(await Promise.all(paths.map((path) => this.read(path))));
  }

  private async findPaths(): Promise<string[]> {
    const environment = this.options.environment ?? process.env;
    const named = this.options.paths || environment.KUBECONFIG;
    const home = environment.HOME ?? homedir();
    const candidates = (named || join(home, '.kube', 'config'))
      .split(delimiter)
      .map((path) => path.trim())
      .filter(Boolean)
      .map((path) => resolve(path.replace(/^~(?=[/\\]|$)/, home)));
    const existing = await Promise.all(candidates.map((path) => exists(path)));
    const paths = candidates.filter((_, index) => existing[index]);
    if (named && !paths.length) throw new CredentialsError(`No such kubeconfig: ${candidates.join(delimiter)}.`);
    return paths;
  }

  private async read(path: string): Promise<KubeConfigData> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      throw new CredentialsError(`Cannot read the kubeconfig ${path}: ${(error as NodeJS.ErrnoException).code}.`);
    }
    return parseKubeConfig(text.trim() || '{}', `The kubeconfig ${path}`, dirname(path));
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The connector of contexts: it runs the plugin or uses the provider of the user, if there is one. */
export class KubeConfigConnector {
  private readonly providers = new AuthProviderCredentials();

  constructor(private readonly clock: Clock) {}

  /** @throws CredentialsError if there are no credentials. */
  async connect(selected: SelectedContext): Promise<ConnectionInfo> {
    const { user, cluster } = selected;
    const info = describe(selected);
    checkUser(selected);
    // As in kubectl, plugins and providers are used only without other credentials.
    const isKnown = Boolean(info.token || info.tokenPath || info.username || info.password);
    const hasCertificate = Boolean(info.certificatePath || info.certificateData);
    if (user.exec && !isKnown && !hasCertificate) {
      Object.assign(info, await runCredentialPlugin(user.exec, cluster, this.clock));
    }
    const provider = user['auth-provider'];
    if (provider?.name === 'tokenFile') info.tokenPath = provider.config?.tokenFile;
    else if (provider && !isKnown) Object.assign(info, await this.providers.get(selected));
    if (info.tokenPath) info.token = await readToken(info.tokenPath, info.token);
    for (const key of Object.keys(info) as (keyof ConnectionInfo)[]) {
      if (info[key] === undefined || info[key] === null || info[key] === '') delete info[key];
    }
    return info;
  }
}

/** Converts a context to a connection. As in kubectl, data take precedence over files. */
function describe({ context, cluster, user }: SelectedContext): Writable<ConnectionInfo> {
  const file = <T>(data: T | undefined, path: string | undefined): string | undefined => (data ? undefined : path);
  return {
    server: completeServer(cluster),
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
    impersonateUid: user['as-uid'],
    impersonateGroups: user['as-groups']?.length ? user['as-groups'] : undefined,
    impersonateExtra: Object.keys(user['as-user-extra'] ?? {}).length ? user['as-user-extra']! : undefined,
    defaultNamespace: context.namespace,
  };
}

/** Completes the URL of a server. As in kubectl, a host without a scheme is connected to without TLS. */
function completeServer({ server = '' }: KubeConfigCluster): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(server) ? server : `http://${server}`;
}

/**
 * Rejects contradictory fields, as kubectl does.
 *
 * @throws CredentialsError that names the fields, never their values.
 */
function checkUser({ name, user, cluster }: SelectedContext): void {
  const where = `The user of the context "${name}"`;
  const isBasic = Boolean(user.username || user.password);
  if (isBasic && (user.token || user.tokenFile)) {
    throw new CredentialsError(`${where} has a token and a password, of which only one can be used.`);
  }
  if (user.exec && user['auth-provider']) {
    throw new CredentialsError(`${where} has a plugin (exec) and an auth-provider, of which only one can be used.`);
  }
  const hasCertificate = user['client-certificate'] || user['client-certificate-data'];
  if (hasCertificate && !user['client-key'] && !user['client-key-data']) {
    throw new CredentialsError(`${where} has a client certificate without its key (client-key or client-key-data).`);
  }
  const others = ['as-uid', 'as-groups', 'as-user-extra'] as const;
  const [other] = others.filter((field) => Object.keys(user[field] ?? {}).length > 0);
  if (other && !user.as) throw new CredentialsError(`${where} has ${other}, but no user to act as (as).`);
  const isInsecure = cluster['insecure-skip-tls-verify'];
  if (isInsecure && (cluster['certificate-authority'] || cluster['certificate-authority-data'])) {
    throw new CredentialsError(
      `The cluster of the context "${name}" has a certificate authority and insecure-skip-tls-verify, of which only one can be used.`,
    );
  }
}

async function readToken(path: string, token: string | undefined): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim() || (token ?? '');
  } catch (error) {
    if (token) return token;
    throw new CredentialsError(`Cannot read the token file ${path}: ${(error as NodeJS.ErrnoException).code}`);
  }
}
