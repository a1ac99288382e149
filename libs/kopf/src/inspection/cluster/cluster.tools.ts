import type { KubeApi } from '../../client/api/api.client.js';
import type { Clock, Random } from 'kube-common';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { Resource } from '../../resources/resources.js';
import type { WatchingSettings } from '../../settings/client.settings.js';

/** The connection to the cluster that is inspected, with the other dependencies of the inspection. */
export interface ClusterTools {
  readonly api: KubeApi;
  readonly settings: WatchingSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
  /** Returns the address of the API server, without credentials. */
  host(): string;
  /** Looks up all resources of the cluster. */
  scan(signal: AbortSignal): Promise<readonly Resource[]>;
}

/** The objects of a cluster that are inspected. */
export interface ClusterScope {
  /** The name of the source, in addresses of the console. */
  readonly name: string;
  /** The resources, as for kubectl; all custom resources if there are none. */
  readonly resources: readonly string[];
  /** The names of the namespaces; all of them if there are none. */
  readonly namespaces: readonly string[];
  /** The name of the Leases by which operators elect their leader. */
  readonly lease: string;
}
