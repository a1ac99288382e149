import { EmbeddedKube, type EmbeddedKubeOptions } from 'embedded-kube';
import type { ConnectionInfo } from 'nestjs-kopf';
import { ClusterUser } from '../support/clusters/cluster.user.js';

/** A cluster to run operators on. */
export interface TestCluster {
  readonly credentials: ConnectionInfo;
  /** An administrator. */
  readonly user: ClusterUser;
  stop(): Promise<void>;
}

/** Starts embedded-kube as a cluster whose operators talk to it over HTTPS, as they do with a real control plane. */
export async function startEmbeddedCluster(options?: EmbeddedKubeOptions): Promise<TestCluster> {
  const kube = await EmbeddedKube.start(options);
  return {
    credentials: { server: kube.url, caData: kube.caCertificate, token: kube.token },
    user: new ClusterUser(kube.transport()),
    stop: () => kube.stop(),
  };
}
