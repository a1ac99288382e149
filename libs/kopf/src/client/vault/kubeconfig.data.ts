import { isAbsolute, join } from 'node:path';
import { CredentialsError } from './connection-info.js';

/** A cluster of a kubeconfig; the names are kubectl's. */
export interface KubeConfigCluster {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  /** The data of other programs, such as the configuration of a credential plugin. */
  readonly extensions?: readonly { readonly name?: string; readonly extension?: unknown }[] | null;
}

/** A credential plugin of a kubeconfig. */
export interface KubeConfigExec {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  /** `Never`, `IfAvailable`, or `Always`. */
  readonly interactiveMode?: string;
}

/** A user of a kubeconfig; the names are kubectl's. */
export interface KubeConfigUser {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[] | null;
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>> | null;
  readonly exec?: KubeConfigExec;
  readonly 'auth-provider'?: { readonly name: string; readonly config?: Readonly<Record<string, string>> };
}

/** A context of a kubeconfig. */
export interface KubeConfigContext {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** The contents of all kubeconfigs, merged, with absolute paths. */
export interface KubeConfigData {
  readonly currentContext?: string;
  readonly contexts: ReadonlyMap<string, KubeConfigContext>;
  readonly clusters: ReadonlyMap<string, KubeConfigCluster>;
  readonly users: ReadonlyMap<string, KubeConfigUser>;
}

/** The cluster, the user, and the namespace of one context. */
export interface SelectedContext {
  readonly name: string;
  readonly context: KubeConfigContext;
  readonly cluster: KubeConfigCluster;
  readonly user: KubeConfigUser;
}

/**
 * Parses the text of one kubeconfig.
 *
 * @param source the name of the kubeconfig for errors, which do not show its content.
 * @param folder the folder that relative paths in it are relative to.
 * @throws CredentialsError if the text is not a kubeconfig.
 */
export async function parseKubeConfig(text: string, source: string, folder: string): Promise<KubeConfigData> {
  const config = await loadYaml(text, source);
  const { apiVersion = 'v1', kind = 'Config' } = config;
  if (apiVersion !== 'v1' || kind !== 'Config') {
    // The message omits the actual values, as one of them could be a misplaced secret.
    throw new CredentialsError(`${source} is no Config of v1: its kind or its apiVersion is another one.`);
  }
  const absolute = <T extends object>(item: T, ...fields: (keyof T)[]): T => {
    const result = { ...item };
    for (const field of fields) {
      const path = item[field] as string | undefined;
      if (path && !isAbsolute(path)) result[field] = join(folder, path) as T[typeof field];
    }
    return result;
  };
  const users = index<KubeConfigUser>(config.users, 'user', (user) =>
    withAbsoluteCommand(absolute(user, 'client-certificate', 'client-key', 'tokenFile'), folder),
  );
  return {
    currentContext: config['current-context'] || undefined,
    contexts: index<KubeConfigContext>(config.contexts, 'context', (context) => context),
    clusters: index<KubeConfigCluster>(config.clusters, 'cluster', (item) => absolute(item, 'certificate-authority')),
    users,
  };
}

/** Merges kubeconfigs as kubectl does: of several values, the first one counts. */
export function mergeKubeConfigs(configs: readonly KubeConfigData[]): KubeConfigData {
  const merge = <T>(maps: ReadonlyMap<string, T>[]): Map<string, T> =>
    new Map(maps.reverse().flatMap((map) => [...map]));
  return {
    currentContext: configs.find((config) => config.currentContext)?.currentContext,
    contexts: merge(configs.map((config) => config.contexts)),
    clusters: merge(configs.map((config) => config.clusters)),
    users: merge(configs.map((config) => config.users)),
  };
}

/**
 * Finds the cluster and the user of a context.
 *
 * @param name the context.
 * @default the current one
 * @throws CredentialsError that names what is missing.
 */
export function selectContext(data: KubeConfigData, source: string, name = data.currentContext): SelectedContext {
  if (!name) {
    throw new CredentialsError(`${source} has no current context; "kubectl config use-context NAME" sets it.`);
  }
  const context = data.contexts.get(name);
  if (!context) throw new CredentialsError(`${source} has no context "${name}", although it is to be used.`);
  const cluster = data.clusters.get(context.cluster ?? '');
  if (!cluster) throw new CredentialsError(`${source} has no cluster "${context.cluster}" of the context "${name}".`);
  if (!cluster.server) throw new CredentialsError(`${source} names no server for the cluster "${context.cluster}".`);
  const user = context.user ? data.users.get(context.user) : {};
  if (!user) throw new CredentialsError(`${source} has no user "${context.user}" of the context "${name}".`);
  return { name, context, cluster, user };
}

/** Parses YAML. The library is loaded here, as operators with a service account do not need it. */
async function loadYaml(text: string, source: string): Promise<Record<string, any>> {
  const { load } = await import('js-yaml');
  let config: unknown;
  try {
    config = load(text);
  } catch (error) {
    // The message of the parser shows the text around the error, which could be a secret.
    const line = (error as { mark?: { line?: number } }).mark?.line;
    throw new CredentialsError(`${source} is not valid YAML${line === undefined ? '' : ` (line ${line + 1})`}.`);
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new CredentialsError(`${source} is not a kubeconfig.`);
  }
  return config;
}

function index<T extends object>(list: unknown, field: string, convert: (item: T) => T): Map<string, T> {
  const items = Array.isArray(list) ? list.filter((item) => typeof item?.name === 'string') : [];
  // Of several items with one name, the first one counts.
  return new Map(items.reverse().map((item) => [item.name as string, convert(item[field] ?? {})]));
}

/** Completes a command with a path, which is relative to the file. A command without a path is searched for. */
function withAbsoluteCommand(user: KubeConfigUser, folder: string): KubeConfigUser {
  const command = user.exec?.command;
  if (!command || isAbsolute(command) || !/[/\\]/.test(command)) return user;
  return { ...user, exec: { ...user.exec, command: join(folder, command) } };
}
