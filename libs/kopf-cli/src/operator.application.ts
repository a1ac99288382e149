import type { INestApplication, INestApplicationContext } from '@nestjs/common';
import { ModulesContainer, NestFactory, Reflector } from '@nestjs/core';
import {
  ActivityRunner,
  DEFAULT_OPERATOR,
  HandlerMetadataAccessor,
  HandlerRegistry,
  NestLogger,
} from 'nestjs-kopf/tooling';
import type { CliEnvironment } from './cli.environment.js';
import { createToken } from './console/console.gate.js';
import type { ConsolePlace } from './console/console.place.js';
import type { OperatorConsole } from './console/operator.console.js';
import { CommandError } from './exit.codes.js';
import { LivenessServer, parseLivenessUrl } from './liveness.server.js';
import { describeStartFailure } from './module.loader.js';
import { createRootModule, type LoadedOperator, type OptionsChange } from './loaded.operator.js';
import { createRunLogger } from './run.logger.js';
import {
  ChangingMetadataAccessor,
  changeModuleOptions,
  ContextLogin,
  selectLabels,
  type MetadataChange,
  type RunOptions,
} from './run.options.js';
import { createServedApplication, serveApplication } from './served.application.js';

/** Changes that a command makes to the operator, beside those of {@link RunOptions}. */
export interface OperatorChanges {
  /** Is applied to the options of each `KopfModule`, after those of the command line. */
  readonly options?: OptionsChange;
  readonly handlers?: MetadataChange;
}

/** An operator that a command runs, as a Nest application, with its server for probes if one was asked for. */
export class OperatorApplication {
  private constructor(
    private readonly app: INestApplicationContext,
    private readonly liveness: LivenessServer | undefined,
    /** The address at which its controllers are served. */
    readonly address: string | undefined,
    private console?: OperatorConsole,
  ) {}

  /**
   * Starts the operator; it is ready then.
   *
   * @throws CommandError if it cannot start.
   */
  static async start(
    source: LoadedOperator,
    options: RunOptions,
    environment: CliEnvironment,
    changes: OperatorChanges = {},
  ): Promise<OperatorApplication> {
    const operators = new Set<string>();
    const { app, address } = await createApplication(source, options, environment, withNames(changes, operators));
    const liveness = options.liveness === undefined ? undefined : createLiveness(app, options.liveness, environment);
    const running = new OperatorApplication(app, liveness, address);
    try {
      await liveness?.start();
      if (options.console) await running.openConsole([...operators], options.console, environment);
    } catch (error) {
      await running.stop();
      throw error;
    }
    return running;
  }

  /** Whether the application has controllers that are not served. */
  get isUnserved(): boolean {
    const modules = [...this.app.get(ModulesContainer, { strict: false }).values()];
    return this.address === undefined && modules.some(({ controllers }) => controllers.size > 0);
  }

  async stop(): Promise<void> {
    await this.console?.stop();
    await this.liveness?.stop();
    await this.app.close();
  }

  /** The server is loaded only if it is used. A console at a given place is announced by the caller. */
  private async openConsole(
    operators: readonly string[],
    place: ConsolePlace | true,
    environment: CliEnvironment,
  ): Promise<void> {
    const { OperatorConsole } = await import('./console/operator.console.js');
    const own = place === true ? { port: 0, token: createToken(environment.random) } : place;
    this.console = await OperatorConsole.start(this.app, operators, own, environment);
    if (place === true) new NestLogger('Kopf').log(`The console of the operator is at ${this.console.address}`);
  }
}

/** Adds the names of the operators whose options are changed to the set. */
function withNames(changes: OperatorChanges, names: Set<string>): OperatorChanges {
  const change = changes.options ?? ((given) => given);
  const options: OptionsChange = (given) => {
    names.add(given.name ?? DEFAULT_OPERATOR);
    return change(given);
  };
  return { ...changes, options };
}

async function createApplication(
  source: LoadedOperator,
  options: RunOptions,
  environment: CliEnvironment,
  changes: OperatorChanges,
): Promise<{ readonly app: INestApplicationContext; readonly address?: string }> {
  const { selector, context, kubeconfig: paths } = options;
  const { clock, variables } = environment;
  const isClusterGiven = context !== undefined || paths !== undefined;
  const login = {
    provide: ContextLogin,
    useValue: new ContextLogin({ clock, context, paths, environment: variables }),
  };
  const handlers = [selector === undefined ? undefined : selectLabels(selector), changes.handlers].filter(
    (each) => each !== undefined,
  );
  const accessor = {
    provide: HandlerMetadataAccessor,
    useFactory: (reflector: Reflector) => new ChangingMetadataAccessor(reflector, handlers),
    inject: [Reflector],
  };
  const change = changes.options ?? ((given) => given);
  const root = await createRootModule(source, (given) => change(changeModuleOptions(given, options)), {
    providers: isClusterGiven ? [login] : [],
    kopfProviders: handlers.length === 0 ? [] : [accessor],
  });
  const logger = createRunLogger(options, environment);
  let served: INestApplication | undefined;
  try {
    // By default, Nest ends the process by itself if something is wrong.
    if (!options.listen)
      return { app: await NestFactory.createApplicationContext(root, { logger, abortOnError: false }) };
    served = await createServedApplication(root, environment.folder, logger);
    return { app: served, address: await serveApplication(served, source.setups, options.listen) };
  } catch (error) {
    await served?.close();
    if (error instanceof CommandError) throw error;
    throw new CommandError(describeStartFailure(error), { cause: error });
  }
}

function createLiveness(app: INestApplicationContext, url: string, { clock }: CliEnvironment): LivenessServer {
  const get = <T>(type: new (...args: any[]) => T): T => app.get(type, { strict: false });
  const logger = new NestLogger('Kopf');
  const parts = { registry: get(HandlerRegistry), runner: get(ActivityRunner), clock, logger };
  return new LivenessServer(parseLivenessUrl(url), parts);
}
