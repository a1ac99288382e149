import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { KubeConfigLogin, personalIdentity } from 'nestjs-kopf/tooling';
import type { CommandDefinition } from '../cli.command.js';
import type { CliEnvironment } from '../cli.environment.js';
import { addLogOptions, CliLogger } from '../cli.logger.js';
import { addClusterOptions, ClusterConnection, createLogin, withCluster } from '../cluster.connection.js';
import type { CommandResult } from '../command.output.js';
import { addressOf } from '../console/console.gate.js';
import { chooseConsolePlace } from '../console/console.place.js';
import { claimFile } from '../dev/kubeconfig.claim.js';
import { DevOutput } from '../dev/dev.output.js';
import type { DevOptions, DevTask } from '../dev/dev.options.js';
import { applyManifests, listManifests } from '../dev/dev.manifests.js';
import { DevSession } from '../dev/dev.session.js';
import { nameConfigurations, parseWebhooks } from '../dev/dev.webhooks.js';
import { startEmbeddedCluster } from '../dev/embedded.cluster.js';
import { isLocalCluster, matchesContext } from '../dev/local.contexts.js';
import { WebhookCleanup } from '../dev/webhook.cleanup.js';
import { CommandError, UsageError } from '../exit.codes.js';
import { describeVariables, IntegerOption, RepeatableOption } from '../option.kinds.js';
import { addPeeringOptions, addRunOptions, checkRunOptions, type RunOptions } from '../run.options.js';
import { StopSignals } from '../stop.signals.js';

/** `kopf dev`: an operator that is started again whenever its files change, on its own API server or on a cluster. */
export const devCommand: CommandDefinition = {
  configure(command) {
    addRunOptions(command);
    addPeeringOptions(command);
    command
      .addOption(new IntegerOption('--port <number>', 'The port of the API server.').default(0, 'a free one'))
      .option('--data <folder>', 'Keep the objects of the API server there. (default: they are forgotten)')
      .option(
        '--write-kubeconfig <file>',
        'The kubeconfig for kubectl. (default: node_modules/.cache/kopf-dev/kubeconfig)',
      )
      .addOption(new RepeatableOption('--apply <path>', 'Manifests to apply first, and again when they change.'))
      .addOption(
        new RepeatableOption('--allow-context <pattern>', 'A context of --context that is not of this machine.'),
      )
      .option('--webhooks <way>', 'How reviews come: auto, off, ngrok, the URL of a tunnel, or this host.', 'auto')
      .addOption(new IntegerOption('--webhooks-port <number>', 'The port that a tunnel leads to.').default(9443))
      .option('--inspect [address]', 'Let a debugger connect to the operator: 127.0.0.1:9229.')
      .option('--clean', 'Only remove webhooks of earlier sessions from the cluster of --context.')
      .addHelpText('after', describeVariables('dev'));
    addClusterOptions(command, 'Work on the cluster of this context, and not on its own API server.');
    addLogOptions(command);
  },

  async run([files], options: DevOptions, environment) {
    if (options.clean) return clean(options, environment);
    checkRunOptions(options);
    const created = createTask(files as readonly string[], options, environment);
    const task = options.console ? await withConsole(created, environment) : created;
    if (options.context !== undefined) return runOnCluster(task, options, environment);
    if (options.kubeconfig !== undefined)
      throw new UsageError('--kubeconfig needs --context, which says whose cluster is meant.');
    return runEmbedded(task, options, environment);
  },
};

function createTask(files: readonly string[], options: DevOptions, { folder, stdout }: CliEnvironment): DevTask {
  const isEmbedded = options.context === undefined;
  if (files.length + (options.module ?? []).length === 0) {
    throw new UsageError('Name a file that exports a Nest module or classes with handlers.');
  }
  for (const file of files) if (!existsSync(resolve(folder, file))) throw new UsageError(`There is no file ${file}.`);
  listManifests(options.apply ?? [], { folder });
  return {
    files,
    options: runOptionsOf(options),
    managed: nameConfigurations(personalIdentity(), folder, files),
    webhooks: parseWebhooks(options, isEmbedded),
    appliesCrds: isEmbedded,
    isTTY: Boolean(stdout.isTTY),
  };
}

/** The console stays at one address, also when the process of the operator ends. */
async function withConsole(task: DevTask, { random }: CliEnvironment): Promise<DevTask> {
  return { ...task, options: { ...task.options, console: await chooseConsolePlace(random) } };
}

/** On a cluster, operators that are deployed there pause as long as the session lasts. */
function runOptionsOf(options: DevOptions): RunOptions {
  const { module, namespace, allNamespaces, selector, standalone, peering, priority, liveness, listen, context } =
    options;
  const { verbose, debug, quiet, logFormat, logRefkey, logPrefix, kubeconfig } = options;
  const dev = context !== undefined && priority === undefined;
  const served = { module, namespace, allNamespaces, selector, standalone, peering, priority, dev, liveness, listen };
  return { ...served, context, kubeconfig, verbose, debug, quiet, logFormat, logRefkey, logPrefix };
}

async function runEmbedded(task: DevTask, options: DevOptions, environment: CliEnvironment): Promise<void> {
  const { folder, variables } = environment;
  const { port, data, writeKubeconfig } = options;
  const claim = writeKubeconfig === undefined ? claimFile(findCache(folder)) : undefined;
  const kubeconfig = claim?.path ?? resolve(folder, writeKubeconfig!);
  const embedded = await startEmbeddedCluster({ folder, port, data, kubeconfig }).catch((error: unknown) => {
    claim?.release();
    throw error;
  });
  const output = new DevOutput(environment, options.output);
  const kept = data === undefined ? 'its objects are forgotten at the end' : `its objects are kept in ${data}`;
  const text = `Serving Kubernetes on ${embedded.url}; ${kept}. For kubectl in another terminal:`;
  output.report('serving', text, { url: embedded.url, kubeconfig });
  output.plain(`export KUBECONFIG=${quote(kubeconfig)}`);
  const own = { ...options, kubeconfig: embedded.kubeconfig };
  try {
    const settings = { ...task.options, kubeconfig: embedded.kubeconfig };
    // What the operator does with other clients is for the same server.
    const more = { ...variables, KUBECONFIG: embedded.kubeconfig };
    await runSession({ ...task, options: settings }, own, { ...environment, variables: more }, output);
  } finally {
    await embedded.stop();
    claim?.release();
  }
}

async function runOnCluster(task: DevTask, options: DevOptions, environment: CliEnvironment): Promise<void> {
  const server = await findServer(options, environment);
  const output = new DevOutput(environment, options.output);
  output.report('serving', `The operator works on the cluster of ${options.context}, ${server}.`, { url: server });
  await runSession(task, options, environment, output);
}

/** @throws UsageError if the cluster is not meant for development, as far as can be seen. */
async function findServer(options: DevOptions, environment: CliEnvironment): Promise<string> {
  const { context, kubeconfig: paths, allowContext = [] } = options;
  const { clock, variables } = environment;
  const login = new KubeConfigLogin({ clock, paths, context, environment: variables });
  const info = await login.login();
  if (!info) throw new CommandError('There is no kubeconfig: name one by --kubeconfig or KUBECONFIG.');
  const { server } = info;
  if (isLocalCluster(context!, server) || matchesContext(context!, allowContext)) return server;
  throw new UsageError(
    `The context ${context} is for ${server}, which is not known as a cluster for development on this machine. If the operator may work ` +
      `there: --allow-context ${context}`,
  );
}

/** Connects to the cluster, and runs the operator until the user stops it. */
async function runSession(
  task: DevTask,
  options: DevOptions,
  environment: CliEnvironment,
  output: DevOutput,
): Promise<void> {
  const { startChild, keyboard, folder } = environment;
  if (!startChild) throw new CommandError('kopf dev needs processes, which cannot be started here.');
  const logger = new CliLogger(environment, options);
  const cluster = new ClusterConnection(createLogin(options, environment, logger), environment, logger);
  const cleanup = new WebhookCleanup(cluster.api, personalIdentity());
  const { apply = [], inspect } = options;
  const session = new DevSession({
    environment,
    output,
    task,
    cleanup,
    nodeOptions: [
      '--enable-source-maps',
      ...(inspect ? [inspect === true ? '--inspect' : `--inspect=${inspect}`] : []),
    ],
    variables: environment.variables,
    files: () => [
      ...task.files.map((file) => resolve(folder, file)),
      ...['package.json', 'tsconfig.json', '.env'].map((name) => join(folder, name)),
      ...listManifests(apply, environment),
    ],
    prepare: async () => {
      if (apply.length === 0) return;
      const count = await applyManifests(listManifests(apply, environment), cluster, environment);
      output.report('applied', `Applied ${count === 1 ? '1 object' : `${count} objects`}.`, { count });
    },
  });
  const stopped = new StopSignals(environment, () => session.kill());
  void stopped.first.then(() => session.stop());
  const release = keyboard?.onKey((key) => takeKey(key, session, stopped));
  const { console: place } = task.options;
  if (place && place !== true) {
    const address = addressOf(place.port, place.token);
    output.report('console', `The console of the operator is at ${address}`, { address });
  }
  if (keyboard) output.report('keys', 'Press r to restart the operator, q to stop.');
  try {
    if (task.webhooks.way !== 'off') await removeLeftovers(cleanup, task, output);
    await session.run();
  } finally {
    release?.();
    stopped.release();
    await cluster.close();
  }
}

function takeKey(key: string, session: DevSession, stopped: StopSignals): void {
  if (key === 'r') session.reload();
  else if (key === 'q' || key === '\u0003') stopped.take('SIGINT');
}

async function removeLeftovers(cleanup: WebhookCleanup, { managed }: DevTask, output: DevOutput): Promise<void> {
  await cleanup.remove(managed);
  for (const { kind, name, owner } of await cleanup.removeExpired()) {
    output.report(
      'cleaned',
      `Removed the ${kind} ${name}, which a session of ${owner ?? 'an unknown user'} has left.`,
      {
        kind,
        name,
      },
    );
  }
}

async function clean(options: DevOptions, environment: CliEnvironment): Promise<CommandResult> {
  if (options.context === undefined)
    throw new UsageError('--clean needs --context: the API server that kopf dev starts has nothing to clean.');
  const removed = await withCluster(options, environment, new CliLogger(environment, options), ({ api }) =>
    new WebhookCleanup(api, personalIdentity()).clean(),
  );
  const lines = removed.map(({ kind, name, owner }) => `Removed the ${kind} ${name} of ${owner ?? 'an unknown user'}.`);
  return { data: { removed }, text: lines.length > 0 ? lines.join('\n') : 'There is nothing to remove.' };
}

/** The usual folder for what tools keep, in the nearest project. */
function findCache(folder: string): string {
  let root = folder;
  while (!existsSync(join(root, 'node_modules')) && dirname(root) !== root) root = dirname(root);
  const base = dirname(root) === root ? folder : join(root, 'node_modules/.cache');
  return join(base, base === folder ? '.kopf-dev' : 'kopf-dev', 'kubeconfig');
}

function quote(path: string): string {
  return /^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
