import type { ClusterCertificate, ClusterFacts } from './admission-server.interface.js';
import { LOCAL_HOSTS } from './local.hosts.js';

/**
 * Finds out by which name the cluster calls the machine that it runs on, if it is one of those for development.
 *
 * The certificate of the API server tells it without any permissions; its version is asked for only if that does not.
 *
 * @returns `undefined` if it is any other cluster.
 */
export async function detectLocalHost(cluster: ClusterFacts): Promise<string | undefined> {
  const certificate = await cluster.certificate();
  const host = certificate && recognize(certificate);
  if (host) return host;
  return (await cluster.gitVersion())?.includes('+k3s') ? LOCAL_HOSTS.k3d : undefined;
}

function recognize({ subject, issuer, names }: ClusterCertificate): string | undefined {
  const issuers = [issuer.CN ?? []].flat();
  if (subject.CN === 'k3s' || subject.O === 'k3s' || issuers.some((name) => name.startsWith('k3s-'))) {
    return LOCAL_HOSTS.k3d;
  }
  if (subject.CN === 'minikube' || issuers.includes('minikubeCA')) return LOCAL_HOSTS.minikube;
  return names.includes('docker-for-desktop') ? LOCAL_HOSTS.dockerDesktop : undefined;
}
