import { once } from 'node:events';
import { connect, type PeerCertificate } from 'node:tls';
import { isIP } from 'node:net';
import type { KubeApi } from '../../client/api/api.client.js';
import type { Vault } from '../../client/vault/vault.js';
import type { ClusterCertificate, ClusterFacts } from '../../reviews/admission-server.interface.js';
import { type Clock, errorText } from 'kube-common';
import type { ConnectionInfo } from '../../client/vault/connection-info.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { splitNames } from '../certificates/certificate.checks.js';
import { readName } from './client.certificates.js';
import { LOCAL_HOSTS } from './webhook.address.js';

/** The dependencies of the detection. */
export interface ClusterFactsOptions {
  readonly api: Pick<KubeApi, 'get'>;
  readonly vault: Pick<Vault, 'acquire'>;
  readonly clock: Clock;
  readonly logger: KopfLogger;
}

/** The seconds for which a connection is tried. */
const TIMEOUT = 5;

/** Creates the facts about the cluster, which are read on demand. Failures are only logged. */
export function createClusterFacts({ api, vault, clock, logger }: ClusterFactsOptions): ClusterFacts {
  const attempt = async <T>(what: string, find: () => Promise<T | undefined>): Promise<T | undefined> => {
    try {
      return await find();
    } catch (error) {
      logger.debug(() => `Cannot find out the ${what} of the API server: ${errorText(error)}`);
      return undefined;
    }
  };
  return {
    gitVersion: () =>
      attempt('version', async () => {
        const version = await api.get<{ gitVersion?: string }>('/version', { timeout: TIMEOUT, retries: false });
        return version.gitVersion;
      }),
    certificate: () => attempt('certificate', async () => readCertificate((await vault.acquire()).info, clock)),
  };
}

/** Reads the certificate of the API server. It need not be trusted, as nothing is sent to the server. */
async function readCertificate(info: ConnectionInfo, clock: Clock): Promise<ClusterCertificate | undefined> {
  if (info.transport || !info.server.startsWith('https:')) return undefined;
  const { hostname, port } = new URL(info.server);
  const host = hostname.replace(/^\[|\]$/g, '');
  const servername = info.tlsServerName ?? (isIP(host) ? undefined : host);
  const socket = connect({ host, port: Number(port) || 443, servername, rejectUnauthorized: false });
  const timer = clock.setTimer(() => socket.destroy(new Error('The connection timed out.')), TIMEOUT * 1000);
  try {
    await once(socket, 'secureConnect');
    return describe(socket.getPeerCertificate());
  } finally {
    timer.cancel();
    socket.destroy();
  }
}

function describe({ subject, issuer, subjectaltname }: PeerCertificate): ClusterCertificate {
  return { subject: readName(subject), issuer: readName(issuer), names: splitNames(subjectaltname) };
}

/**
 * Finds the name of this machine in a cluster for development that runs on it.
 *
 * The certificate of the API server shows which cluster it is, without any permissions; the version of the API server is read only if the
 * certificate does not.
 *
 * @returns `undefined` for any other cluster.
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
