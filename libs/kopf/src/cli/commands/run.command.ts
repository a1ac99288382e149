import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import { ActivityRunner } from '../../activities/activity.runner.js';
import { NestLogger } from '../../common/nest.logger.js';
import { errorText } from '../../common/texts.js';
import { HandlerMetadataAccessor } from '../../discovery/handler-metadata.accessor.js';
import { HandlerRegistry } from '../../registry/handler.registry.js';
import type { CliCommand } from '../cli.command.js';
import type { CliEnvironment } from '../cli.environment.js';
import { addLogOptions, checkLogOptions } from '../cli.logger.js';
import { addClusterOptions } from '../cluster.connection.js';
import { CommandError } from '../exit.codes.js';
import { LivenessServer, parseLivenessUrl } from '../liveness.server.js';
import { describeVariables, IntegerOption, RepeatableOption } from '../option.kinds.js';
import { createRootModule, loadOperator, type OperatorSource } from '../operator.source.js';
import { checkNamespaceOptions } from '../peering.records.js';
import { createRunLogger } from '../run.logger.js';
import {
  changeModuleOptions,
  checkSelector,
  ContextLogin,
  SelectingMetadataAccessor,
  type RunOptions,
} from '../run.options.js';
import { DEV_PRIORITY } from './freeze.command.js';

/** `kopf run`: an operator of files, without a program that starts it. */
export const runCommand: CliCommand = {
  name: 'run',
  summary: 'Run an operator until it is stopped.',

  configure(command) {
    command
      .argument('[files...]', 'Files that export a Nest module, or classes with handlers, in JavaScript or TypeScript.')
      .addOption(new RepeatableOption('-m, --module <name>', 'An installed package to run, as files are.'))
      .addOption(new RepeatableOption('-n, --namespace <pattern>', 'The namespaces to serve: names or globs.'))
      .option('-A, --all-namespaces', 'Serve the whole cluster, which is the default.')
      .option('-l, --selector <labels>', 'Handle only objects with these labels: app=web,tier!=cache.')
      .option('--standalone', 'Ignore other operators.')
      .option('--dev', `Let operators in the cluster pause: the same as --priority ${DEV_PRIORITY}.`)
      .option('-P, --peering <name>', 'The name of the peering object, which must exist then.')
      .addOption(new IntegerOption('-p, --priority <number>', 'The priority among the other operators.', -Infinity))
      .option('-L, --liveness <url>', 'Answer liveness probes there: http://0.0.0.0:8080/healthz.')
      .addHelpText('after', describeVariables('run'));
    addClusterOptions(command);
    addLogOptions(command);
  },

  async run([files], options: RunOptions, environment) {
    checkLogOptions(options);
    checkNamespaceOptions(options);
    if (options.selector !== undefined) checkSelector(options.selector);
    const url = options.liveness === undefined ? undefined : parseLivenessUrl(options.liveness);
    const source = await loadOperator(files as readonly string[], options.module ?? [], environment);
    const stopped = new StopSignals(environment);
    try {
      const app = await start(source, options, environment);
      const liveness = url && createLiveness(app, url, environment);
      try {
        await liveness?.start();
        await stopped.first;
      } finally {
        await liveness?.stop();
        await app.close();
      }
    } finally {
      stopped.release();
    }
  },
};

/** Waits for the signals that end the operator: the first lets it finish what it does, the second ends the process at once. */
class StopSignals {
  readonly first: Promise<void>;
  readonly release: () => void;

  constructor(environment: CliEnvironment) {
    let count = 0;
    let resolve = (): void => undefined;
    this.first = new Promise((done) => (resolve = done));
    this.release = environment.onSignal((signal) => {
      count += 1;
      if (count === 1) return resolve();
      environment.stderr.write(
        `Stopped by a second ${signal}: what was begun may be begun anew by the next operator.\n`,
      );
      environment.exit(signal === 'SIGINT' ? 130 : 143);
    });
  }
}

async function start(
  source: OperatorSource,
  options: RunOptions,
  environment: CliEnvironment,
): Promise<INestApplicationContext> {
  const { selector, context, kubeconfig: paths } = options;
  const { clock, variables } = environment;
  const isClusterGiven = context !== undefined || paths !== undefined;
  const login = {
    provide: ContextLogin,
    useValue: new ContextLogin({ clock, context, paths, environment: variables }),
  };
  const accessor = {
    provide: HandlerMetadataAccessor,
    useFactory: (reflector: Reflector) => new SelectingMetadataAccessor(reflector, selector!),
    inject: [Reflector],
  };
  const root = await createRootModule(source, (given) => changeModuleOptions(given, options), {
    providers: isClusterGiven ? [login] : [],
    kopfProviders: selector === undefined ? [] : [accessor],
  });
  try {
    // By default, Nest ends the process by itself if something is wrong.
    const logger = createRunLogger(options, environment);
    return await NestFactory.createApplicationContext(root, { logger, abortOnError: false });
  } catch (error) {
    throw new CommandError(`The operator cannot start: ${errorText(error)}`, { cause: error });
  }
}

function createLiveness(app: INestApplicationContext, url: URL, { clock }: CliEnvironment): LivenessServer {
  const get = <T>(type: new (...args: any[]) => T): T => app.get(type, { strict: false });
  const logger = new NestLogger('Kopf');
  return new LivenessServer(url, { registry: get(HandlerRegistry), runner: get(ActivityRunner), clock, logger });
}
