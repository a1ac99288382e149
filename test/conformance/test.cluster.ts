import type { ConnectionInfo } from 'nestjs-kopf';
import type { ClusterUser } from '../support/cluster.user.js';

/** A cluster to run operators on. */
export interface TestCluster {
  readonly credentials: ConnectionInfo;
  /** An administrator. */
  readonly user: ClusterUser;
  stop(): Promise<void>;
}
