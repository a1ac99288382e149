import { KubeClient, type KubeClientOptions } from '../client/kube.client.js';

/** Creates the client of a cluster for a program without an operator, which would inject it. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  return new KubeClient(options);
}
