import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from 'embedded-kube';
import { ClusterUser } from '../support/clusters/cluster.user.js';
import { Kubectl } from '../support/clusters/kubectl.js';
import { MemoryLogger } from '../support/telemetry/memory.logger.js';
import { administrator } from '../support/clusters/cluster.access.js';
import { kubectlPath, startControlPlane } from '../support/clusters/control-plane.js';

/** One of the API servers that are compared. */
export interface AdmittingSide {
  readonly name: 'real' | 'embedded';
  readonly kubeconfigPath: string;
  readonly kubectl: Kubectl;
  readonly user: ClusterUser;
  stop(): Promise<void>;
}

/** Starts a real control plane and embedded-kube, which both call webhooks at the loopback address. */
export async function startSides(): Promise<readonly AdmittingSide[]> {
  const sides = await Promise.allSettled([startReal(), startEmbedded()]);
  const started = sides.flatMap((side) => (side.status === 'fulfilled' ? [side.value] : []));
  const failed = sides.find((side) => side.status === 'rejected');
  if (!failed) return started;
  await Promise.all(started.map((side) => side.stop()));
  throw failed.reason;
}

async function startReal(): Promise<AdmittingSide> {
  const controlPlane = await startControlPlane({ controllers: false });
  const user = administrator(controlPlane);
  const { kubeconfigPath } = controlPlane;
  const kubectl = new Kubectl(kubectlPath(), kubeconfigPath);
  const stop = async (): Promise<void> => {
    kubectl.close();
    await user.close();
    await controlPlane.stop();
  };
  return { name: 'real', kubeconfigPath, kubectl, user, stop };
}

async function startEmbedded(): Promise<AdmittingSide> {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-kube-'));
  const kube = await EmbeddedKube.start({ logger: new MemoryLogger() });
  const kubeconfigPath = join(folder, 'kubeconfig');
  writeFileSync(kubeconfigPath, kube.kubeconfig, { mode: 0o600 });
  const kubectl = new Kubectl(kubectlPath(), kubeconfigPath);
  const stop = async (): Promise<void> => {
    kubectl.close();
    await kube.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { name: 'embedded', kubeconfigPath, kubectl, user: new ClusterUser(kube.transport()), stop };
}
