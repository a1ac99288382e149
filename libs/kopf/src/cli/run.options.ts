import { HandlerMetadataAccessor } from '../discovery/handler-metadata.accessor.js';
import { errorText } from '../common/texts.js';
import { OnLogin } from '../decorators/activity.decorators.js';
import type { HandlerMetadata } from '../decorators/handler.metadata.js';
import { KubeConfigLogin, type KubeConfigLoginOptions } from '../client/vault/kubeconfig.login.js';
import type { ConnectionInfo } from '../client/vault/connection-info.js';
import type { KopfModuleOptions } from '../kopf.options.js';
import { ObjectSelector, type ObjectSelectorOptions } from '../resources/object-selector.js';
import type { LogOptions } from './cli.logger.js';
import type { ClusterOptions } from './cluster.connection.js';
import { DEV_PRIORITY } from './commands/freeze.command.js';
import { UsageError } from './exit.codes.js';
import type { PeeringOptions } from './peering.records.js';

/** The options of `kopf run` that are those of the operator. */
export interface RunOptions extends PeeringOptions, ClusterOptions, LogOptions {
  readonly standalone?: boolean;
  readonly dev?: boolean;
  readonly liveness?: string;
  readonly peering?: string;
  readonly priority?: number;
  readonly module?: readonly string[];
  readonly selector?: string;
}

/** Puts the options of the command over those that the user's modules give. The object stays the same, as it conceals credentials. */
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
export function checkSelector(labels: string): void {
  try {
    ObjectSelector.parse({ labels });
  } catch (error) {
    throw new UsageError(`--selector is wrong: ${errorText(error)}.`);
  }
}

/** Restricts all handlers to the objects with some labels, so that the API server sends no others. */
export class SelectingMetadataAccessor extends HandlerMetadataAccessor {
  constructor(
    reflector: ConstructorParameters<typeof HandlerMetadataAccessor>[0],
    private readonly labels: string,
  ) {
    super(reflector);
  }

  override handlersOf(method: (...args: never[]) => unknown): readonly HandlerMetadata[] {
    return super.handlersOf(method).map((metadata) => {
      // Reviews of webhooks are the API server's choice, and activities have no objects.
      if (!metadata.selector || metadata.kind === 'validate' || metadata.kind === 'mutate') return metadata;
      const selector = this.restrict(metadata.options.selector as ObjectSelectorOptions | undefined);
      return { ...metadata, options: { ...metadata.options, selector } };
    });
  }

  private restrict(selector: ObjectSelectorOptions | undefined): ObjectSelectorOptions {
    const own = selector?.labels === undefined ? undefined : ObjectSelector.parse({ labels: selector.labels });
    const labels = [own?.labelSelector, this.labels].filter(Boolean).join(',');
    return { ...selector, labels };
  }
}

/** The priority of credentials that were asked for, above those of the login handlers that the operator has. */
const LOGIN_PRIORITY = 1000;

/** Logs in with the context that the command line names, each time with what the kubeconfig says then. */
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
