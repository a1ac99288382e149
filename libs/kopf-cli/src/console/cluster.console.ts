import { userInfo } from 'node:os';
import { ClusterInspection, type ClusterTools, type KubeApi } from 'nestjs-kopf/tooling';
import { ActionGate, ClusterActions, type ConsoleAction } from 'nestjs-kopf-console';
import { KopfSettings } from 'nestjs-kopf';
import type { CliEnvironment } from '../cli.environment.js';
import { CliLogger, type CliLogOptions } from '../cli.logger.js';
import { withCluster, type ClusterConnection, type ClusterOptions } from '../cluster.connection.js';
import { CommandError } from '../exit.codes.js';
import { StopSignals } from '../stop.signals.js';
import { createToken } from './console.gate.js';
import { LocalConsole } from './local.console.js';

/** The options of the console of a cluster: the options of `kopf console`. */
export interface ClusterConsoleOptions extends ClusterOptions, Pick<CliLogOptions, 'verbose'> {
  readonly namespace?: readonly string[];
  readonly resource?: readonly string[];
  readonly lease: string;
  readonly port: number;
  readonly open?: boolean;
  readonly allow: readonly ConsoleAction[];
  readonly output: string;
}

/**
 * Serves the console of a cluster until the first signal.
 *
 * @throws CommandError if the cluster has no resource of a name, or the port is in use.
 */
export async function runClusterConsole(options: ClusterConsoleOptions, environment: CliEnvironment): Promise<void> {
  const logger = new CliLogger(environment, options);
  await withCluster(options, environment, logger, async (cluster) => {
    const tools = createTools(cluster, options, environment);
    const { namespace: namespaces = [], resource: resources = [], lease, context } = options;
    const inspection = new ClusterInspection(tools, { name: context ?? 'cluster', namespaces, resources, lease });
    const operators = [{ inspection, actions: new ClusterActions(inspection) }];
    const signals = new StopSignals(environment);
    try {
      const missing = await inspection.start();
      if (missing.length > 0) throw new CommandError(`The cluster has no resource ${missing.join(', ')}.`);
      const user = await findUser(cluster.api);
      const gate = new ActionGate({ allow: options.allow, authenticate: () => ({ user }) }, logger);
      const { clock, version } = environment;
      const server = new LocalConsole(createToken(environment.random), {
        operators,
        gate,
        clock,
        logger,
        version,
      });
      try {
        announce(await server.start(options.port), cluster, options, environment);
        await signals.first;
      } finally {
        await server.stop();
      }
    } finally {
      signals.release();
      await inspection.stop();
    }
  });
}

/** Interruptions of watches are shown by the console, so they are logged only if details are wanted. */
function createTools(
  cluster: ClusterConnection,
  options: ClusterConsoleOptions,
  environment: CliEnvironment,
): ClusterTools {
  const { clock, random } = environment;
  const logger = new CliLogger(environment, options);
  const quiet = Object.assign(Object.create(logger) as CliLogger, {
    log: logger.debug.bind(logger),
    warn: logger.debug.bind(logger),
  });
  return {
    api: cluster.api,
    settings: new KopfSettings().watching,
    clock,
    random,
    logger: quiet,
    host: () => cluster.host ?? '',
    scan: (signal) => cluster.scan(signal),
  };
}

/** The name by which the API server knows the user; the name of this machine's user if the server does not know it. */
async function findUser(api: KubeApi): Promise<string> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  try {
    const { status } = await api.post<{ status?: { userInfo?: { username?: string } } }>(
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      review,
      { retries: 'transient' },
    );
    return status?.userInfo?.username || userInfo().username;
  } catch {
    return userInfo().username;
  }
}

function announce(
  address: string,
  cluster: ClusterConnection,
  { open, output }: ClusterConsoleOptions,
  { stdout, openBrowser }: CliEnvironment,
): void {
  const text =
    output === 'text'
      ? `The console of ${cluster.host} is at ${address}\nCtrl-C ends it. Everyone with the address can see what you can.`
      : JSON.stringify({ address });
  stdout.write(`${text}\n`);
  if (open) openBrowser?.(address);
}
