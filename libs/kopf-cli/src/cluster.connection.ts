import type { Command } from 'commander';
import {
  createDefaultLogin,
  createKubeClient,
  DiscoveryClient,
  HttpTransport,
  KubeApi,
  KubeConfigLogin,
  type Login,
  ServiceAccountLogin,
  Vault,
} from 'nestjs-kopf/tooling';
import { type KopfLogger, KopfSettings, type KubeClient, type Resource } from 'nestjs-kopf';
import type { CliEnvironment } from './cli.environment.js';
import { CliLogger } from './cli.logger.js';

/** The options that say which cluster is meant, the same as kubectl's. */
export interface ClusterOptions {
  readonly context?: string;
  readonly kubeconfig?: string;
}

const CONTEXT = 'The context of the kubeconfig. (default: the current one)';

/** Adds the options that say which cluster is meant. */
export function addClusterOptions(command: Command, context = CONTEXT): void {
  command
    .option('--context <name>', context)
    .option(
      '--kubeconfig <file>',
      'The kubeconfig. (default: $KUBECONFIG, ~/.kube/config, or the service account of the pod)',
    );
}

/** The user waits for the command, and should know at once that the API server does not answer. */
const ERROR_BACKOFFS = [0.5, 1, 2];

/** The connection of a command to the API server. */
export class ClusterConnection {
  readonly api: KubeApi;
  readonly client: KubeClient;
  private readonly vault: Vault;
  private readonly discovery: DiscoveryClient;
  private scanned?: Promise<readonly Resource[]>;

  constructor(login: Login, environment: CliEnvironment, logger: KopfLogger = new CliLogger(environment)) {
    const { clock, random } = environment;
    const settings = new KopfSettings();
    settings.networking.errorBackoffs = ERROR_BACKOFFS;
    const createTransport = (info: ConstructorParameters<typeof HttpTransport>[0]): HttpTransport =>
      new HttpTransport(info, settings, clock);
    this.vault = new Vault({ login, createTransport, clock, random, logger });
    this.api = new KubeApi(this.vault, settings.networking, clock, logger);
    this.client = createKubeClient({ api: this.api, settings, clock, random, logger });
    this.discovery = new DiscoveryClient(this.api, logger);
  }

  /** All resources of the cluster, looked up once. */
  resources(): Promise<readonly Resource[]> {
    return (this.scanned ??= this.discovery.scan());
  }

  /** The address of the API server, without credentials; `undefined` before the first request. */
  get host(): string | undefined {
    return this.vault.current()?.host;
  }

  /** Discovers the resources of the cluster again. */
  scan(signal: AbortSignal): Promise<readonly Resource[]> {
    return this.discovery.scan({ signal });
  }

  close(): Promise<void> {
    return this.vault.close();
  }
}

/** Takes the credentials from where the options say, or from where operators take theirs. */
export function createLogin(options: ClusterOptions, environment: CliEnvironment, logger: KopfLogger): Login {
  const { clock, variables } = environment;
  const { context, kubeconfig: paths } = options;
  const kubeconfig = new KubeConfigLogin({ clock, paths, context, environment: variables });
  const isPod = context === undefined && paths === undefined;
  const account = isPod ? new ServiceAccountLogin() : { login: async () => undefined };
  return createDefaultLogin(kubeconfig, account as ServiceAccountLogin, logger);
}

/** Runs a part of a command that needs the API server, and closes the connection in the end. */
export async function withCluster<T>(
  options: ClusterOptions,
  environment: CliEnvironment,
  logger: KopfLogger,
  use: (cluster: ClusterConnection) => Promise<T>,
): Promise<T> {
  const cluster = new ClusterConnection(createLogin(options, environment, logger), environment, logger);
  try {
    return await use(cluster);
  } finally {
    await cluster.close();
  }
}
