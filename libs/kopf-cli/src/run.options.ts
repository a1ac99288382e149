import { Option, type Command } from 'commander';
import {
  type HandlerMetadata,
  HandlerMetadataAccessor,
  KubeConfigLogin,
  type KubeConfigLoginOptions,
  ObjectSelector,
  type ObjectSelectorOptions,
} from 'nestjs-kopf/tooling';
import { type ConnectionInfo, type KopfModuleOptions, OnLogin } from 'nestjs-kopf';
import { errorText } from 'kube-common';
import { checkLogOptions, type CliLogOptions } from './cli.logger.js';
import type { ClusterOptions } from './cluster.connection.js';
import { DEV_PRIORITY } from './commands/freeze.command.js';
import type { ConsolePlace } from './console/console.place.js';
import { UsageError } from './exit.codes.js';
import { parseLivenessUrl } from './liveness.server.js';
import { IntegerOption, RepeatableOption } from './option.kinds.js';
import { checkNamespaceOptions, type PeeringOptions } from './peering.records.js';
import { parseListenAddress, type ListenAddress } from './served.application.js';

/** The options of `kopf run` that are those of the operator. */
export interface RunOptions extends PeeringOptions, ClusterOptions, CliLogOptions {
  readonly standalone?: boolean;
  readonly dev?: boolean;
  readonly liveness?: string;
  readonly peering?: string;
  readonly priority?: number;
  readonly module?: readonly string[];
  readonly selector?: string;
  /** The address at which the controllers of the application are served. @default they are not */
  readonly listen?: ListenAddress;
  /** The place of the console on this machine; with `true`, one that the command chooses. */
  readonly console?: ConsolePlace | true;
}

/** Adds the files of an operator that is run, and the options about what it serves. */
export function addRunOptions(command: Command): void {
  command
    .argument('[files...]', 'Files that export a Nest module, or classes with handlers, in JavaScript or TypeScript.')
    .addOption(new RepeatableOption('-m, --module <name>', 'An installed package to run, as files are.'))
    .addOption(new RepeatableOption('-n, --namespace <pattern>', 'The namespaces to serve: names or globs.'))
    .option('-A, --all-namespaces', 'Serve the whole cluster, which is the default.')
    .option('-l, --selector <labels>', 'Handle only objects with these labels: app=web,tier!=cache.')
    .option('--standalone', 'Ignore other operators.')
    .addOption(
      new Option('--listen <[host:]port>', 'Serve the controllers of the application there: 3000.').argParser(
        parseListenAddress,
      ),
    )
    .option('--console', 'Serve the console on this machine, for the browser.');
}

/** Adds the options about other operators, and about probes. */
export function addPeeringOptions(command: Command): void {
  command
    .option('-P, --peering <name>', 'The name of the peering object, which must exist then.')
    .addOption(new IntegerOption('-p, --priority <number>', 'The priority among the other operators.', -Infinity))
    .option('-L, --liveness <url>', 'Answer liveness probes there: http://0.0.0.0:8080/healthz.');
}

/** @throws UsageError if the options are wrong, or contradict each other. */
export function checkRunOptions(options: RunOptions): void {
  checkLogOptions(options);
  checkNamespaceOptions(options);
  if (options.selector !== undefined) checkSelector(options.selector);
  if (options.liveness !== undefined) parseLivenessUrl(options.liveness);
}

/** Overrides the options of the user's modules by those of the command. The object stays the same, as it conceals credentials. */
export function changeModuleOptions(given: KopfModuleOptions, options: RunOptions): KopfModuleOptions {
  const { namespace = [], allNamespaces, standalone, dev, peering, priority, logRefkey, logPrefix } = options;
  const chosen = dev ? DEV_PRIORITY : priority;
  return Object.assign(given, {
    required: true,
    ...(namespace.length > 0 && { namespaces: namespace }),
    ...(allNamespaces && { namespaces: undefined }),
    peering: {
      ...given.peering,
      ...(standalone && { standalone }),
      ...(peering !== undefined && { name: peering, mandatory: true }),
      ...(chosen !== undefined && { priority: chosen }),
    },
    logging: {
      ...given.logging,
      ...(logRefkey !== undefined && { refKey: logRefkey }),
      ...(logPrefix !== undefined && { prefix: logPrefix }),
    },
  });
}

/** @throws UsageError if it is not a label selector. */
function checkSelector(labels: string): void {
  try {
    ObjectSelector.parse({ labels });
  } catch (error) {
    throw new UsageError(`--selector is wrong: ${errorText(error)}.`);
  }
}

/** The function that changes the metadata of a handler's decorators. */
export type MetadataChange = (metadata: HandlerMetadata) => HandlerMetadata;

/** The accessor of the metadata of handlers, with the changes of a command. */
export class ChangingMetadataAccessor extends HandlerMetadataAccessor {
  constructor(
    reflector: ConstructorParameters<typeof HandlerMetadataAccessor>[0],
    private readonly changes: readonly MetadataChange[],
  ) {
    super(reflector);
  }

  override handlersOf(method: (...args: never[]) => unknown): readonly HandlerMetadata[] {
    return super.handlersOf(method).map((metadata) => this.changes.reduce((last, change) => change(last), metadata));
  }
}

/** Whether the API server calls the handler by a webhook. */
export function isReviewing({ kind }: HandlerMetadata): boolean {
  return kind === 'validate' || kind === 'mutate';
}

/** Restricts handlers to the objects with some labels, so that the API server sends no others. */
export function selectLabels(labels: string): MetadataChange {
  return (metadata) => {
    // Reviews of webhooks are the API server's choice, and activities have no objects.
    if (!metadata.selector || isReviewing(metadata)) return metadata;
    const selector = restrict(metadata.options.selector as ObjectSelectorOptions | undefined, labels);
    return { ...metadata, options: { ...metadata.options, selector } };
  };
}

function restrict(selector: ObjectSelectorOptions | undefined, more: string): ObjectSelectorOptions {
  const own = selector?.labels === undefined ? undefined : ObjectSelector.parse({ labels: selector.labels });
  return { ...selector, labels: [own?.labelSelector, more].filter(Boolean).join(',') };
}

/** The priority of credentials that were asked for, above those of the login handlers that the operator has. */
const LOGIN_PRIORITY = 1000;

/** The login with the context of the command line, each time with the present kubeconfig. */
export class ContextLogin {
  private readonly kubeconfig: KubeConfigLogin;

  constructor(options: KubeConfigLoginOptions) {
    this.kubeconfig = new KubeConfigLogin(options);
  }

  // The operator tries again where it makes sense; a context that does not exist ends the start.
  @OnLogin({ id: 'kopf-run', errors: 'permanent' })
  async login(): Promise<ConnectionInfo | undefined> {
    const info = await this.kubeconfig.login();
    return info && Object.assign(info, { priority: LOGIN_PRIORITY });
  }
}
