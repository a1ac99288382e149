import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { EmbeddedKube } from 'embedded-kube';
import { readManifest } from './manifests.js';

/** Names the kubeconfig file of the embedded API server, relative to the current folder. */
export const KUBECONFIG = '.embedded-kube/kubeconfig';

/**
 * Starts an API server in this process that knows the claims and simulates pods and volumes.
 *
 * @param port 0 for any free one.
 */
export async function startEmbeddedCluster(port = 0): Promise<EmbeddedKube> {
  const kube = await EmbeddedKube.start({ port, pods: true });
  try {
    mkdirSync(dirname(KUBECONFIG), { recursive: true });
    kube.writeKubeconfig(KUBECONFIG);
    const definitions = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };
    await kube.client.create(definitions, undefined, readManifest('crd'));
    return kube;
  } catch (error) {
    await kube.stop();
    throw error;
  }
}
